import { describe, expect, it } from 'vitest';
import { drawDocument, parseCorpus } from './corpus.ts';

const line = (value: unknown) => JSON.stringify(value);

describe('parseCorpus', () => {
  it('reads both keys, skips blank lines, and counts corrupt lines by number', () => {
    const content = [
      line({ text: 'one', source: 'x' }),
      '',
      '{"text": "cut',
      line({ orig_doc: 'two' }),
      line([1]),
      line({ text: 7 }),
      line({ text: '  ' }),
    ].join('\n');
    const corpus = parseCorpus(content, 'c.jsonl');
    expect(corpus.documents).toEqual([
      { line: 1, text: 'one' },
      { line: 4, text: 'two' },
    ]);
    expect(corpus.corrupt).toEqual([
      { line: 3, problem: 'not JSON' },
      { line: 5, problem: 'not an object' },
      { line: 6, problem: 'neither "text" nor "orig_doc" is a text' },
      { line: 7, problem: 'the text is empty' },
    ]);
  });

  it('reads a byte-order mark and CRLF', () => {
    expect(parseCorpus(`\uFEFF${line({ text: 'a' })}\r\n${line({ text: 'b' })}\r\n`, 'c').documents).toHaveLength(2);
  });

  it('refuses an empty corpus and says why', () => {
    expect(() => parseCorpus('', 'c.jsonl')).toThrow('c.jsonl: no line holds a document');
    expect(() => parseCorpus('oops\n', 'c.jsonl')).toThrow('line 1: not JSON');
  });
});

describe('drawDocument', () => {
  const corpus = parseCorpus([1, 2, 3].map((n) => line({ text: `document ${n} with words` })).join('\n'), 'c');

  it('draws by seed, every document in its turn, cut to words', () => {
    expect(drawDocument(corpus, 5, 2)).toEqual(drawDocument(corpus, 5, 2));
    const drawn = Array.from({ length: 300 }, (_, seed) => drawDocument(corpus, seed, 2));
    const lines = drawn.map((document) => document.line);
    for (const n of [1, 2, 3]) expect(lines.filter((value) => value === n).length).toBeGreaterThan(70);
    expect(drawn.every((document) => document.text === `document ${document.line}`)).toBe(true);
  });
});
