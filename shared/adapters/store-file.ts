import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidInput, NotFound, ServiceUnavailable, SpadeError } from '../contracts/index.ts';
import type { Store } from '../ports/index.ts';
import { checkKey, checkPrefix, RESERVED_SEGMENT } from './object-key.ts';

/**
 * A store in a folder, one file a key.
 *
 * A write goes to a temporary file on the same file system, is flushed, and takes its place by `rename` (or `link`, which
 * refuses a taken name); then the folder entry is flushed. So a key holds a whole object or nothing, even after a power cut.
 * Temporary files live in a folder of their own under the root, so a crash leaves nothing that `list` could show.
 *
 * @param root - absolute path of the folder; made on the first write
 */
export function createFileStore(root: string): Store {
  const base = resolve(root);
  const path = (key: string) => join(base, ...checkKey(key).split('/'));
  const find = (key: string) => guarded(() => readOrNull(path(key)));
  return {
    find,
    async get(key) {
      const body = await find(key);
      if (body === null) throw new NotFound(join(base, key));
      return body;
    },
    chunks: (key) => chunks(path(key)),
    put: (key, body) => guarded(() => write(base, path(key), contentOf(body), replace)).then(() => undefined),
    putFile: (key, file) => guarded(() => write(base, path(key), copyOf(file), replace)).then(() => undefined),
    putIfAbsent: (key, body) => guarded(() => write(base, path(key), contentOf(body), claim)),
    exists: (key) => guarded(() => isFile(path(key))),
    list: (prefix) => guarded(() => list(base, checkPrefix(prefix))),
    uri: (key) => pathToFileURL(base).href + (key === '' ? '' : `/${encodeURI(checkPrefix(key))}`),
  };
}

/** Removes what writers left that were killed; only while nobody writes to the store. */
export async function sweepUnfinished(root: string): Promise<void> {
  await guarded(() => rm(join(resolve(root), RESERVED_SEGMENT), { recursive: true, force: true }));
}

/** Puts the finished file in place, whatever was there. */
async function replace(temporary: string, target: string): Promise<boolean> {
  await rename(temporary, target);
  return true;
}

/** Puts the finished file in place only if the name is free; `link` decides that in one step. */
async function claim(temporary: string, target: string): Promise<boolean> {
  try {
    await link(temporary, target);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function write(
  base: string,
  target: string,
  fill: (file: FileHandle) => Promise<void>,
  place: (temporary: string, target: string) => Promise<boolean>,
): Promise<boolean> {
  const temporary = join(base, RESERVED_SEGMENT, `${process.pid}-${randomBytes(8).toString('hex')}`);
  await mkdir(dirname(temporary), { recursive: true });
  await mkdir(dirname(target), { recursive: true });
  try {
    await writeFlushed(temporary, fill);
    const placed = await place(temporary, target);
    if (placed) await flushFolder(dirname(target));
    return placed;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

const contentOf = (body: Uint8Array | string) => (file: FileHandle) => file.writeFile(body);

const copyOf = (path: string) => (file: FileHandle) => file.writeFile(createReadStream(path));

async function writeFlushed(path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await fill(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function readOrNull(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return null;
    throw error;
  }
}

async function* chunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await guarded(() => open(path).catch((error) => absent(error, path)));
  // The stream closes the file, also when nobody reads on.
  for await (const chunk of file.createReadStream()) yield chunk as Uint8Array;
}

function absent(error: unknown, path: string): never {
  if (hasCode(error, 'ENOENT', 'ENOTDIR')) throw new NotFound(path, { cause: error });
  throw error;
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/** Keys with the prefix in the order of S3 (UTF-8 bytes); reads only the folder that the prefix points into. */
async function list(base: string, prefix: string): Promise<string[]> {
  const folder = join(base, ...prefix.split('/').slice(0, -1));
  const keys: string[] = [];
  for (const entry of await entries(folder)) {
    if (!entry.isFile()) continue;
    const key = relative(base, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (key.startsWith(prefix) && !key.startsWith(`${RESERVED_SEGMENT}/`)) keys.push(key);
  }
  return keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

async function entries(folder: string) {
  try {
    return await readdir(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

/** Names what a person can act on: a key inside another key is the caller's mistake, a full or failing disk is the host's. */
async function guarded<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof SpadeError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    if (hasCode(error, 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG')) {
      throw new InvalidInput('file store', [`the key cannot be a file here: ${reason}`], { cause: error });
    }
    throw new ServiceUnavailable('file store', reason, { cause: error });
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
