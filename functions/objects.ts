import { gunzipSync, gzipSync } from 'node:zlib';
import type * as z from 'zod';
import { Episode, InvalidInput } from '../shared/contracts/index.ts';
import { canonicalJson } from '../shared/domain/canonical-json.ts';
import type { Store } from '../shared/ports/index.ts';

/**
 * Objects of the stores as values: JSON with sorted keys, checked by their schema whenever they are read.
 *
 * `writeOnce` is how every unit is idempotent: the first complete object under a key stays, and a replay gets that one.
 */

/** @throws {NotFound} @throws {InvalidInput} when the object does not fit the schema */
export async function readObject<S extends z.ZodType>(store: Store, key: string, schema: S): Promise<z.infer<S>> {
  return parseObject(key, schema, await store.get(key));
}

/** The value under a key, or null when nothing is stored there. */
export async function findObject<S extends z.ZodType>(
  store: Store,
  key: string,
  schema: S,
): Promise<z.infer<S> | null> {
  const body = await store.find(key);
  return body === null ? null : parseObject(key, schema, body);
}

/** Stores a value under a free key and returns it, or returns the value that was there first. */
export async function writeOnce<S extends z.ZodType>(
  store: Store,
  key: string,
  schema: S,
  value: z.infer<S>,
): Promise<z.infer<S>> {
  const free = await store.putIfAbsent(key, `${canonicalJson(schema.parse(value))}\n`);
  return free ? value : readObject(store, key, schema);
}

/** The episodes of one environment or shard, or null when the worker never wrote them. */
export async function findEpisodes(store: Store, key: string): Promise<Episode[] | null> {
  const body = await store.find(key);
  if (body === null) return null;
  return unzipLines(key, body).map((line) => parseObject(key, Episode, line));
}

/**
 * Text as gzip, a function of the text alone: no time in the header, and the byte that names the operating system is "unknown".
 * Members may be put one after the other in a file; readers see one text.
 */
export function gzipText(text: string): Uint8Array {
  const zipped = gzipSync(text);
  zipped[OPERATING_SYSTEM_BYTE] = UNKNOWN_SYSTEM;
  return zipped;
}

/** RFC 1952, section 2.3: offset and value of the OS field. */
const OPERATING_SYSTEM_BYTE = 9;
const UNKNOWN_SYSTEM = 255;

function unzipLines(key: string, body: Uint8Array): string[] {
  try {
    const text = gunzipSync(body).toString('utf8');
    return text.split('\n').filter((line) => line !== '');
  } catch (cause) {
    throw new InvalidInput(key, ['the object is not whole gzip data'], { cause });
  }
}

function parseObject<S extends z.ZodType>(key: string, schema: S, body: Uint8Array | string): z.infer<S> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const parsed = schema.safeParse(parseJson(key, text));
  if (!parsed.success) throw new InvalidInput(key, describeIssues(parsed.error));
  return parsed.data;
}

function parseJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new InvalidInput(key, ['the object is not JSON'], { cause });
  }
}

/** One line per problem: the field, then what is wrong with it. */
export function describeIssues(error: z.ZodError): string[] {
  return error.issues.map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`);
}
