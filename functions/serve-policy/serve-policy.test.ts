import { describe, expect, it } from 'vitest';
import { NotFound, policyKeys } from '../../shared/contracts/index.ts';
import type { PolicyHost } from '../../shared/ports/index.ts';
import { memoryStores } from '../testing/memory-store.ts';
import { begin, EXPERIMENT, experiment, INPUT, UNSEEN } from '../testing/objects.ts';
import { strict } from '../testing/strict.ts';
import { servePolicy } from './serve-policy.ts';

async function serve(policyVersion: number, ready: boolean, trained: string[] = []) {
  const stores = memoryStores();
  await begin(stores, experiment());
  for (const key of trained) await stores.policies.put(key, 'weights');
  const asked: string[][] = [];
  const policyHost = strict<PolicyHost>('policyHost', {
    ensureServed: async (...task) => {
      asked.push(task);
      return ready;
    },
  });
  const output = await servePolicy(
    { ...INPUT, iteration: 3, attempt: 2, policyVersion },
    { stores, policyHost, progress: UNSEEN },
  );
  return { output, asked };
}

describe('servePolicy', () => {
  it('serves a published version from what its manifest names', async () => {
    const { output, asked } = await serve(0, true);
    expect(output).toEqual({ ready: true, model: 'test-v0000' });
    expect(asked).toEqual([['test-v0000', 'test/v0/files/']]);
  });

  it('says that a version is not ready yet', async () => {
    expect((await serve(0, false)).output.ready).toBe(false);
  });

  it("serves a candidate from this attempt's training job", async () => {
    const prefix = policyKeys(EXPERIMENT).trainedModel('spade-test-i0003-a2');
    const { asked } = await serve(3, true, [`${prefix}model.safetensors`]);
    expect(asked).toEqual([['test-v0003', prefix]]);
  });

  it('has nothing to serve for a version without manifest, or a candidate that another attempt trained', async () => {
    await expect(serve(2, true)).rejects.toThrow(NotFound);
    const other = policyKeys(EXPERIMENT).trainedModel('spade-test-i0003-a1');
    await expect(serve(3, true, [`${other}model.safetensors`])).rejects.toThrow(NotFound);
  });
});
