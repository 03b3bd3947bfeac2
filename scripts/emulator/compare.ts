import { createHash } from 'node:crypto';
import type { Store } from '../../shared/ports/index.ts';

/** Objects that hold wall-clock times, or where the run took place. */
const HOST_SPECIFIC = /timings|experiment\.json$/;

/** Hash of every object of a store by key. */
export async function fingerprints(store: Store): Promise<Map<string, string>> {
  const keys = (await store.list('')).filter((key) => !HOST_SPECIFIC.test(key));
  const entries = await Promise.all(
    keys.map(
      async (key) =>
        [
          key,
          createHash('sha256')
            .update(await store.get(key))
            .digest('hex'),
        ] as const,
    ),
  );
  return new Map(entries);
}

/** Keys whose objects differ between two stores, or that only one of them has. */
export function differences(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): string[] {
  return [...new Set([...a.keys(), ...b.keys()])].filter((key) => a.get(key) !== b.get(key)).sort();
}
