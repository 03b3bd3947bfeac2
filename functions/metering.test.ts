import { describe, expect, it } from 'vitest';
import { InvalidInput, policyKeys, type RolloutJob, type SpendEntry } from '../shared/contracts/index.ts';
import type { Ledger } from '../shared/ports/index.ts';
import { recordTime, startMeter, trainingTime } from './metering.ts';
import { recordTaskTime } from './rollout/task-time.ts';
import { tasksUsage } from './task-time.ts';
import { memoryStores } from './testing/memory-store.ts';
import { EXPERIMENT, experiment, INPUT, putJson } from './testing/objects.ts';
import { strict } from './testing/strict.ts';
import { overBudget } from './usage.ts';

const at = (time: string) => ({ now: () => new Date(time) });
const NOON = '2026-01-01T12:00:00.000Z';
const LATER = '2026-01-01T12:30:00.000Z';

describe('serving', () => {
  it('costs its time from the first beginning of the attempt to its end', async () => {
    const stores = memoryStores();
    const entries: SpendEntry[] = [];
    const ledger = strict<Ledger>('ledger', { spend: async (entry) => void entries.push(entry) });
    const config = experiment();
    await startMeter(INPUT, config, stores.episodes, at(NOON));
    await startMeter(INPUT, config, stores.episodes, at(LATER));
    await recordTime(INPUT, config, { stores, ledger, metering: at(LATER) });
    // ml.c5.xlarge, USD 0.204 an hour.
    expect(entries).toMatchObject([
      { unit: 'serve', usage: { 'endpointSeconds:ml.c5.xlarge': 1800 } },
      { unit: 'tasks' },
    ]);
    expect(entries[0]?.usd).toBeCloseTo(0.102, 12);
  });

  it('costs nothing and leaves no trace where there is no meter', async () => {
    const stores = memoryStores();
    await startMeter(INPUT, experiment(), stores.episodes, undefined);
    await recordTime(INPUT, experiment(), { stores, ledger: strict<Ledger>('ledger', {}) });
    expect(await trainingTime('job', experiment(), stores.policies, undefined)).toEqual({});
    expect(stores.episodes.objects.size).toBe(0);
  });

  it('refuses an instance without a price before anything is spent', async () => {
    const config = experiment((c) => ({ ...c, serving: { ...c.serving, instanceType: 'ml.none.xlarge' } }));
    await expect(startMeter(INPUT, config, memoryStores().episodes, at(NOON))).rejects.toThrow(InvalidInput);
  });
});

describe('rollout tasks', () => {
  const job = {
    ...{ experiment: EXPERIMENT, iteration: 1, shard: 0, policyVersion: 0 },
    kind: 'rollout',
  } as RolloutJob;
  const size = { SPADE_TASK_VCPU: '2', SPADE_TASK_MEMORY_MB: '8192' };

  it('cost their size by the second, each at the price of its capacity, and none of an earlier attempt', async () => {
    const { episodes } = memoryStores();
    const ran = (from: string, to: string, capacity: string, shard: number) =>
      recordTaskTime({ ...job, shard }, { ...size, SPADE_CAPACITY: capacity }, new Date(from), episodes, at(to).now);
    await ran('2026-01-01T11:00:00.000Z', '2026-01-01T11:30:00.000Z', 'FARGATE_SPOT', 0);
    await ran(NOON, LATER, 'FARGATE_SPOT', 0);
    await ran(NOON, LATER, 'FARGATE_SPOT', 1);
    await ran(NOON, LATER, 'FARGATE', 2);
    expect(await tasksUsage(INPUT, NOON, episodes)).toEqual({
      ...{ fargateSpotVcpuSeconds: 7200, fargateSpotGbSeconds: 28_800 },
      ...{ fargateVcpuSeconds: 3600, fargateGbSeconds: 14_400 },
    });
  });

  it('say nothing of themselves where nobody told them their size', async () => {
    const { episodes } = memoryStores();
    await recordTaskTime(job, {}, new Date(NOON), episodes);
    expect(episodes.objects.size).toBe(0);
  });
});

describe('trainingTime', () => {
  it('is the sum of the job’s parts on all of its instances', async () => {
    const stores = memoryStores();
    await putJson(stores.policies, policyKeys(EXPERIMENT).trainingTimings('job'), {
      phases: { load: 10, train: 50 },
      mfu: null,
    });
    const config = experiment((c) => ({ ...c, training: { ...c.training, instanceCount: 2 } }));
    const usage = await trainingTime('job', config, stores.policies, at(NOON));
    expect(usage).toEqual({ 'spotTrainingSeconds:ml.m5.xlarge': 120 });
  });
});

describe('overBudget', () => {
  it.each([
    [0, 0, false],
    [4.99, 5, false],
    [5, 5, true],
    [0.01, 0, true],
  ])('spent %d of %d: %s', (spent, cap, expected) => {
    expect(overBudget(spent, cap)).toBe(expected);
  });
});
