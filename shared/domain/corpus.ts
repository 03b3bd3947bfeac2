import { InvalidInput } from '../contracts/index.ts';
import { cutToWords } from './prompts.ts';
import { deriveSeed, rng } from './seeds.ts';

/** A grounding document and the line it came from (1-based). */
export interface CorpusDocument {
  readonly line: number;
  readonly text: string;
}

/** Usable documents, and every line that is none, with its number and reason. */
export interface Corpus {
  readonly documents: readonly CorpusDocument[];
  readonly corrupt: readonly { readonly line: number; readonly problem: string }[];
}

/**
 * Reads a JSON-lines corpus (M13): one object a line with its text under `text` or `orig_doc`; other keys are metadata. Blank lines are
 * skipped. Corrupt lines are reported, never fatal.
 * @throws {InvalidInput} when no line holds a document
 */
export function parseCorpus(content: string, file: string): Corpus {
  const documents: CorpusDocument[] = [];
  const corrupt: { line: number; problem: string }[] = [];
  content
    .replace(/^\uFEFF/, '')
    .split('\n')
    .forEach((raw, index) => {
      if (raw.trim() === '') return;
      const read = documentOf(raw);
      if (read.ok) documents.push({ line: index + 1, text: read.text });
      else corrupt.push({ line: index + 1, problem: read.problem });
    });
  if (documents.length > 0) return { documents, corrupt };
  const first = corrupt[0];
  const why = first === undefined ? 'it is empty' : `line ${first.line}: ${first.problem}`;
  throw new InvalidInput(file, [`no line holds a document under "text" or "orig_doc" (${why})`]);
}

function documentOf(raw: string): { ok: true; text: string } | { ok: false; problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { ok: false, problem: 'not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, problem: 'not an object' };
  const row = value as Record<string, unknown>;
  const text = row.text ?? row.orig_doc;
  if (typeof text !== 'string') return { ok: false, problem: 'neither "text" nor "orig_doc" is a text' };
  return text.trim() === '' ? { ok: false, problem: 'the text is empty' } : { ok: true, text };
}

/**
 * The document of one design request: uniform over the corpus, by seed, cut to whole words (M13).
 * @param maxWords longest excerpt in words
 */
export function drawDocument(corpus: Corpus, seed: number, maxWords: number): CorpusDocument {
  const drawn = rng(deriveSeed('document', seed)).pick(corpus.documents);
  return { line: drawn.line, text: cutToWords(drawn.text, maxWords) };
}
