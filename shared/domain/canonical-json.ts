import { createHash } from 'node:crypto';
import { InvalidInput } from '../contracts/index.ts';

/**
 * JSON with sorted keys and no blanks: equal values give equal bytes, whoever wrote them and in whichever order.
 *
 * Keys are sorted by UTF-16 code unit; members that are `undefined` are left out; −0 becomes 0.
 * @throws {InvalidInput} for a value that JSON cannot hold: NaN, infinities, bigint, functions, `undefined` in an array
 * @example canonicalJson({ b: 1, a: [2] }) // '{"a":[2],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object') {
    const record = value as Record<string, unknown>;
    const members = Object.keys(record)
      .filter((key) => record[key] !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key])}`);
    return `{${members.join(',')}}`;
  }
  throw new InvalidInput('value', [`JSON cannot hold ${typeof value}`]);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new InvalidInput('value', [`JSON cannot hold ${value}`]);
  return JSON.stringify(value);
}

/** SHA-256 in hex; text is hashed as UTF-8. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * The source as it is stored and hashed: LF line ends, no blanks at the end of a line, exactly one final newline.
 * Idempotent.
 */
export function normaliseSource(source: string): string {
  const lines = source.replace(/\r\n?/g, '\n').split('\n');
  const trimmed = lines.map(trimBlanks).join('\n');
  let end = trimmed.length;
  while (end > 0 && trimmed[end - 1] === '\n') end--;
  return end === 0 ? '' : `${trimmed.slice(0, end)}\n`;
}

function trimBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
  return line.slice(0, end);
}

/** Identity of an environment: SHA-256 of its normalised source, so that line ends and trailing blanks do not make a new one. */
export function environmentHash(source: string): string {
  return sha256Hex(normaliseSource(source));
}
