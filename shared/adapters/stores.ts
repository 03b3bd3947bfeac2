import { ENVIRONMENT_VARIABLES } from '../contracts/index.ts';
import type { Store, Stores } from '../ports/index.ts';
import { once } from './once.ts';
import { createFileStore } from './store-file.ts';
import { locationOf } from './uri.ts';
import { requiredVariable, type Variables } from './variables.ts';

/**
 * The store at a URI: `file:///dir` or `s3://bucket[/prefix]`. The S3 client is loaded on the first call, because loading it costs a
 * laptop's worker more than a shard's first episodes.
 *
 * @throws {InvalidInput} for any other URI
 */
export function openStore(uri: string): Store {
  const { scheme, location } = locationOf(uri, 'store', ['file', 's3']);
  if (scheme === 'file') return createFileStore(location);
  const slash = location.indexOf('/');
  const bucket = slash < 0 ? location : location.slice(0, slash);
  const prefix = slash < 0 ? '' : location.slice(slash + 1).replace(/\/+$/, '');
  return lazyStore(`s3://${bucket}/${prefix === '' ? '' : `${prefix}/`}`, async () => {
    const { openS3Store } = await import('./store-s3.ts');
    return openS3Store(bucket, prefix);
  });
}

/**
 * The four stores by the environment variables of `shared/contracts/keys`.
 *
 * @throws {InvalidInput} naming the variable that is missing or wrong
 */
export function openStores(env: Variables): Stores {
  const store = (variable: string) => openStore(requiredVariable(env, variable, 'file:///dir or s3://bucket'));
  return {
    environments: store(ENVIRONMENT_VARIABLES.environments),
    episodes: store(ENVIRONMENT_VARIABLES.episodes),
    policies: store(ENVIRONMENT_VARIABLES.policies),
    corpora: store(ENVIRONMENT_VARIABLES.corpora),
  };
}

function lazyStore(root: string, load: () => Promise<Store>): Store {
  const store = once(load);
  return {
    get: async (key) => (await store()).get(key),
    find: async (key) => (await store()).find(key),
    chunks: async function* (key) {
      yield* (await store()).chunks(key);
    },
    put: async (key, body) => (await store()).put(key, body),
    putFile: async (key, path) => (await store()).putFile(key, path),
    putIfAbsent: async (key, body) => (await store()).putIfAbsent(key, body),
    exists: async (key) => (await store()).exists(key),
    list: async (prefix) => (await store()).list(prefix),
    uri: (key) => root + key,
  };
}
