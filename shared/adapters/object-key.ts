import { InvalidInput } from '../contracts/index.ts';

/**
 * Checks a store key: segments of printable characters joined by single slashes, none of them `.` or `..`, at most 1,024 bytes.
 * The same rule holds for every store, so that a key that works on the laptop works in S3 and none can leave its root.
 *
 * @throws {InvalidInput}
 */
export function checkKey(key: string): string {
  const problem = keyProblem(key);
  if (problem !== null) throw new InvalidInput(`store key ${JSON.stringify(key)}`, [problem]);
  return key;
}

/**
 * Checks a list prefix: empty, or the beginning of a valid key (`a/b/` and `a/b` are both fine).
 *
 * @throws {InvalidInput}
 */
export function checkPrefix(prefix: string): string {
  if (prefix !== '') checkKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
  return prefix;
}

function keyProblem(key: string): string | null {
  if (key === '') return 'it is empty';
  if (Buffer.byteLength(key) > 1024) return 'it is longer than 1,024 bytes';
  if (/[\u0000-\u001f\u007f\\]/.test(key)) return 'it holds a backslash or a control character';
  if (!key.isWellFormed()) return 'it is not well-formed Unicode';
  const segments = key.split('/');
  if (segments.some((s) => s === '' || s === '.' || s === '..')) return 'a segment is empty, "." or ".."';
  if (segments[0] === RESERVED_SEGMENT) return `the first segment ${RESERVED_SEGMENT} is the store's own`;
  return null;
}

/** Where the file store keeps unfinished writes, under its root. */
export const RESERVED_SEGMENT = '.unfinished';
