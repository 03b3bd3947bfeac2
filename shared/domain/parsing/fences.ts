/** A fenced block: the info string after the opening backticks, its lines, and whether a closing fence was found. */
export interface Fence {
  readonly info: string;
  readonly body: string;
  readonly closed: boolean;
}

/** Indentation, marker, info string. */
const OPENING = /^([ \t]*)(`{3,}|~{3,})([^`]*)$/;
const PYTHON_AT_END = /(?:python3?|py)$/i;

/**
 * Fenced blocks of a text, in order. Rules of CommonMark (marker at the start of a line, closed by at least as many of the same
 * marker), with three additions (cases T8): a fence inside a Python triple-quoted string is text, so that a docstring which
 * shows an example does not cut the program short; an indented fence, as in a list, has its indentation taken from its lines; a fence marked
 * as Python may follow text on its line. CRLF is read as LF. Linear time; never throws.
 */
export function fencedBlocks(text: string): Fence[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Fence[] = [];
  let trustQuotes = true;
  for (let i = 0; i < lines.length; i++) {
    const opening = openingOf(lines[i] as string);
    if (opening === null) continue;
    const { indentation, marker, info } = opening;
    const end = closingLine(lines, i + 1, marker, trustQuotes);
    // One block whose string never ends is enough: reading every later block to the end as well would take quadratic time.
    if (end.unendedString) trustQuotes = false;
    blocks.push({
      info: info.trim(),
      body: lines
        .slice(i + 1, end.line)
        .map((line) => outdented(line, indentation))
        .join('\n'),
      closed: end.closed,
    });
    i = end.line;
  }
  return blocks;
}

interface Opening {
  readonly indentation: string;
  readonly marker: string;
  readonly info: string;
}

function openingOf(line: string): Opening | null {
  const found = OPENING.exec(line);
  if (found === null) return openingAfterText(line);
  const [, indentation = '', marker = '', info = ''] = found;
  return { indentation, marker, info };
}

/** A marker after a sentence on the same line; it only counts when it says Python. Read from the end, so that no line takes more than linear time. */
function openingAfterText(line: string): Opening | null {
  const trimmed = line.trimEnd();
  const info = PYTHON_AT_END.exec(trimmed.slice(-'python3'.length))?.[0];
  if (info === undefined) return null;
  const before = trimmed.slice(0, -info.length).trimEnd();
  let start = before.length;
  while (before[start - 1] === '`') start -= 1;
  const text = before.slice(0, start);
  if (before.length - start < 3 || text.trim() === '' || text.includes('`')) return null;
  return { indentation: '', marker: before.slice(start), info };
}

/** A line without the indentation of its fence, as far as it has it. */
function outdented(line: string, indentation: string): string {
  let shared = 0;
  while (shared < indentation.length && line[shared] === indentation[shared]) shared += 1;
  return line.slice(shared);
}

interface BlockEnd {
  readonly line: number;
  readonly closed: boolean;
  readonly unendedString: boolean;
}

/**
 * The line that closes a block: the first fence outside a triple-quoted string. When all fences stand inside a string that never
 * ends (a cut or broken program), or quotes are not to be trusted, the first fence at all.
 */
function closingLine(lines: readonly string[], start: number, marker: string, trustQuotes: boolean): BlockEnd {
  let quote: string | null = null;
  let fallback = -1;
  for (let i = start; i < lines.length; i++) {
    const line = lines[i] as string;
    if (isClosing(line, marker)) {
      if (quote === null || !trustQuotes) return { line: i, closed: true, unendedString: false };
      if (fallback === -1) fallback = i;
    }
    quote = tripleQuoteAfter(line, quote);
  }
  const closed = fallback !== -1;
  return { line: closed ? fallback : lines.length, closed, unendedString: closed };
}

function isClosing(line: string, marker: string): boolean {
  const bare = line.trim();
  return bare.length >= marker.length && bare === (marker[0] as string).repeat(bare.length);
}

/** Which triple quote is open after a line of Python, given the one open before it. Escapes and comments are honoured. */
function tripleQuoteAfter(line: string, before: string | null): string | null {
  let open = before;
  for (let i = 0; i < line.length; i++) {
    const character = line[i] as string;
    if (open !== null) {
      if (character === '\\') i += 1;
      else if (line.startsWith(open, i)) {
        i += 2;
        open = null;
      }
    } else if (character === '#') {
      return null;
    } else if (character === '"' || character === "'") {
      if (line.startsWith(character.repeat(3), i)) {
        open = character.repeat(3);
        i += 2;
      } else {
        i = endOfString(line, i);
      }
    }
  }
  return open;
}

/** Position of the quote that ends a one-line string, or the end of the line. */
function endOfString(line: string, start: number): number {
  for (let i = start + 1; i < line.length; i++) {
    if (line[i] === '\\') i += 1;
    else if (line[i] === line[start]) return i;
  }
  return line.length;
}
