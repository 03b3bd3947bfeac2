import { describe, expect, it } from 'vitest';
import { iterationKeys, ServiceUnavailable } from '../../shared/contracts/index.ts';
import type { Events, Ledger, PolicyHost } from '../../shared/ports/index.ts';
import { memoryStores } from '../testing/memory-store.ts';
import { EXPERIMENT, INPUT, readJson } from '../testing/objects.ts';
import { strict } from '../testing/strict.ts';
import { failIteration } from './fail-iteration.ts';

const input = { ...INPUT, error: { Error: 'PolicyUnavailable', Cause: 'x'.repeat(5000) } };
const key = iterationKeys(EXPERIMENT, 1).failure(1);

function world(release: () => Promise<void>) {
  const done: string[] = [];
  const stores = memoryStores();
  return {
    done,
    stores,
    ledger: strict<Ledger>('ledger', { recordIteration: async (_, __, status) => void done.push(status) }),
    events: strict<Events>('events', { iterationFailed: async ({ error }) => void done.push(error) }),
    policyHost: strict<PolicyHost>('policyHost', { release }),
  };
}

describe('failIteration', () => {
  it('records the failure, tells people and releases', async () => {
    let released = 0;
    const { done, ...deps } = world(async () => void (released += 1));
    expect(await failIteration(input, deps)).toEqual({ failure: key });
    expect(readJson(deps.stores.episodes, key)).toMatchObject({
      error: 'PolicyUnavailable',
      cause: 'x'.repeat(4000),
      attempt: 1,
    });
    expect([...done, released]).toEqual(['failed', 'PolicyUnavailable', 1]);
  });

  it('does everything else when one part fails, then reports that part', async () => {
    const { done, ...deps } = world(async () => {
      throw new ServiceUnavailable('sagemaker', 'throttled');
    });
    await expect(failIteration(input, deps)).rejects.toThrow(ServiceUnavailable);
    expect(await deps.stores.episodes.exists(key)).toBe(true);
    expect(done).toEqual(['failed', 'PolicyUnavailable']);
  });
});
