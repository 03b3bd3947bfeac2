import { readFile } from 'node:fs/promises';
import { NotFound } from '../../shared/contracts/index.ts';
import type { Store, Stores } from '../../shared/ports/index.ts';

/** A store in memory that counts writes, so that a test can see that a replay writes nothing. */
export interface MemoryStore extends Store {
  readonly objects: Map<string, Uint8Array>;
  writes: number;
}

/** An empty store. */
export function memoryStore(): MemoryStore {
  const objects = new Map<string, Uint8Array>();
  const bytes = (body: Uint8Array | string) => (typeof body === 'string' ? new TextEncoder().encode(body) : body);
  const store: MemoryStore = {
    objects,
    writes: 0,
    async get(key) {
      const body = objects.get(key);
      if (body === undefined) throw new NotFound(key);
      return body;
    },
    find: async (key) => objects.get(key) ?? null,
    async *chunks(key) {
      yield await store.get(key);
    },
    async put(key, body) {
      store.writes += 1;
      objects.set(key, bytes(body));
    },
    async putFile(key, path) {
      await store.put(key, await readFile(path));
    },
    async putIfAbsent(key, body) {
      if (objects.has(key)) return false;
      await store.put(key, body);
      return true;
    },
    exists: async (key) => objects.has(key),
    list: async (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)).sort(),
    uri: (key) => `memory:///${key}`,
  };
  return store;
}

export type MemoryStores = { readonly [K in keyof Stores]: MemoryStore };

/** Four empty stores. */
export function memoryStores(): MemoryStores {
  return { environments: memoryStore(), episodes: memoryStore(), policies: memoryStore(), corpora: memoryStore() };
}
