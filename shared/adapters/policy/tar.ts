import { InvalidInput } from '../../contracts/index.ts';

/** A file of an archive. */
export interface TarFile {
  /** Relative, forward slashes, at most 100 bytes. */
  readonly path: string;
  readonly body: Uint8Array;
}

const BLOCK = 512;
/** The octal size field holds 11 digits. */
const LARGEST = 8 ** 11 - 1;

/**
 * A tar archive (POSIX ustar) of plain files: readable by all, owned by root, dated 1970, so that equal files make equal bytes.
 *
 * @throws {InvalidInput} for a path that the format cannot hold
 */
export function tar(files: readonly TarFile[]): Uint8Array {
  const parts = files.flatMap(({ path, body }) => [header(path, body.byteLength), body, padding(body.byteLength)]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** Fields at their offsets in the block of 512 bytes: name, mode, owner, group, size, time, sum, type, magic, version. */
function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100 || path === '' || size > LARGEST) {
    throw new InvalidInput(`archive entry ${JSON.stringify(path)}`, ['a path of 1 to 100 bytes and less than 8 GiB']);
  }
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, '0'), offset, 'ascii');
  block.write(path, 0, 'utf8');
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  block.write('0', 156, 'ascii');
  block.write('ustar\u000000', 257, 'ascii');
  // The sum is taken with its own field full of blanks.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'ascii');
  return block;
}

function padding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}
