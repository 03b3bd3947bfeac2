import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { NotFound } from '../../contracts/index.ts';
import type { Store } from '../../ports/index.ts';
import { tar } from './tar.ts';

/** Key of an adapter's archive: where SageMaker itself would put a compressed output. */
export function archiveKey(prefix: string): string {
  return `${prefix.replace(/\/+$/, '')}.tar.gz`;
}

/**
 * Makes the archive that an adapter component is created from, unless it is there: the adapter's files at the root of a `.tar.gz`. Training
 * jobs leave their files one by one, because the manifest hashes each; SageMaker takes an adapter as one archive only.
 *
 * Holds the adapter in memory: megabytes for the usual ranks.
 *
 * @throws {NotFound} when the prefix is empty
 */
export async function ensureArchive(policies: Store, prefix: string): Promise<void> {
  const key = archiveKey(prefix);
  if (await policies.exists(key)) return;
  const keys = await policies.list(prefix);
  if (keys.length === 0) throw new NotFound(policies.uri(prefix));
  const files = await Promise.all(
    keys.map(async (file) => ({ path: file.slice(prefix.length), body: await policies.get(file) })),
  );
  await policies.putIfAbsent(key, await compress(tar(files)));
}

const compress = promisify(gzip);
