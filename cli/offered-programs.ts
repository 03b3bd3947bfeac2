import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { InvalidInput } from '../shared/contracts/index.ts';
import { describePoolRow, type PoolProgram, parsePoolLine } from '../shared/domain/pools.ts';

/** A program as a file, a folder or a pool offers it, or why there is none in its place. */
export type OfferedProgram = {
  /** For people: a path, with `:LINE` for a line of a pool. */
  readonly name: string;
  /** Line in its pool; in a folder, its place in the list. 1-based. */
  readonly line: number;
} & ({ readonly program: PoolProgram } | { readonly program: null; readonly problem: string });

/**
 * The programs of files (`*.py`), folders (every `*.py` below, with what a `manifest.json` says of them) and pools (`*.jsonl`), in order. Pools
 * are read line by line, so a large one is never in memory.
 * @throws {InvalidInput} for a path that is not there or is none of these
 */
export async function* offeredPrograms(paths: readonly string[]): AsyncGenerator<OfferedProgram> {
  for (const path of paths) {
    if (kindOf(path) === 'pool') yield* poolPrograms(path);
    else yield* filePrograms(path);
  }
}

/** How many programs {@link offeredPrograms} will give. @throws {InvalidInput} likewise */
export async function countPrograms(paths: readonly string[]): Promise<number> {
  let count = 0;
  for (const path of paths) {
    if (kindOf(path) === 'pool') for await (const _line of poolLines(path)) count += 1;
    else count += pythonFiles(path).length;
  }
  return count;
}

function kindOf(path: string): 'pool' | 'folder' | 'file' {
  if (!existsSync(path)) throw new InvalidInput(path, ['there is no such file or folder']);
  if (statSync(path).isDirectory()) return 'folder';
  const extension = extname(path).toLowerCase();
  if (extension === '.jsonl') return 'pool';
  if (extension === '.py') return 'file';
  throw new InvalidInput(path, ['expected a program (.py), a folder of them, or a pool (.jsonl)']);
}

async function* poolLines(path: string): AsyncGenerator<{ raw: string; line: number }> {
  let line = 0;
  for await (const raw of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (raw.trim() !== '') yield { raw: line === 1 ? raw.replace(/^\uFEFF/, '') : raw, line };
  }
}

async function* poolPrograms(path: string): AsyncGenerator<OfferedProgram> {
  for await (const { raw, line } of poolLines(path)) {
    const read = parsePoolLine(raw, line);
    const name = `${path}:${line}`;
    yield read.ok ? { name, line, program: read.program } : { name, line, program: null, problem: read.problem };
  }
}

function pythonFiles(path: string): string[] {
  if (kindOf(path) === 'file') return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.py'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function* filePrograms(path: string): Generator<OfferedProgram> {
  const manifest = readManifest(path);
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for (const [index, file] of pythonFiles(path).entries()) {
    const place = { name: file, line: index + 1 };
    let source: string;
    try {
      source = utf8.decode(readFileSync(file));
    } catch {
      yield { ...place, program: null, problem: 'not UTF-8' };
      continue;
    }
    yield { ...place, program: { ...describePoolRow(manifest.get(basename(file)) ?? {}, basename(file)), source } };
  }
}

/** Entries of the `manifest.json` beside designer-written programs, by file name; a list, or a map by any key. */
function readManifest(path: string): Map<string, Record<string, unknown>> {
  const file = join(path, 'manifest.json');
  if (!existsSync(file)) return new Map();
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new InvalidInput(file, ['not JSON'], { cause });
  }
  return new Map(manifestEntries(value).flatMap((entry) => nameOf(entry).map((name) => [name, entry])));
}

function manifestEntries(value: unknown): Record<string, unknown>[] {
  const isEntry = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (Array.isArray(value)) return value.filter(isEntry);
  if (!isEntry(value)) return [];
  const lists = Object.values(value).filter(Array.isArray);
  if (lists.length > 0) return lists.flatMap(manifestEntries);
  return Object.entries(value).flatMap(([key, entry]) => (isEntry(entry) ? [{ file_name: key, ...entry }] : []));
}

function nameOf(entry: Record<string, unknown>): string[] {
  return [entry.file_name, entry.file, entry.path].flatMap((name) =>
    typeof name === 'string' ? [basename(name)] : [],
  );
}
