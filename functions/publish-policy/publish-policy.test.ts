import { beforeEach, describe, expect, it } from 'vitest';
import { iterationKeys, PolicyManifest, Publication, policyKeys, type Scores } from '../../shared/contracts/index.ts';
import { sha256Hex } from '../../shared/domain/canonical-json.ts';
import type { Ledger, Policy } from '../../shared/ports/index.ts';
import { planBenchmark } from '../evaluation.ts';
import { gzipText } from '../objects.ts';
import { type MemoryStores, memoryStores } from '../testing/memory-store.ts';
import {
  begin,
  EXPERIMENT,
  episode,
  experiment,
  manifest,
  plan,
  putJson,
  readJson,
  UNSEEN,
} from '../testing/objects.ts';
import { SCORES as TEST_SCORES } from '../testing/scores.ts';
import { strict } from '../testing/strict.ts';
import { type PublishDeps, publishPolicy } from './publish-policy.ts';

const ITERATION = 2;
const INPUT = { experiment: EXPERIMENT, iteration: ITERATION, attempt: 1, trained: true };
const JOB = 'spade-test-i0002-a1';
const keys = iterationKeys(EXPERIMENT, ITERATION);
const policy = policyKeys(EXPERIMENT);

const SCORES: Scores = { ...TEST_SCORES, iteration: ITERATION };

const SUMMARY = {
  ...{ policyVersion: 2, steps: 1, skippedSteps: 0, samples: { agent: 4, designer: 2 }, tokens: 20, loss: 0.1 },
  ...{ lossByRole: {}, gradientNorm: 1, samplerGap: 0, clipFraction: 0, status: 'completed' },
};

describe('publishPolicy', () => {
  let stores: MemoryStores;
  let promoted: number[][];
  let deps: PublishDeps;
  const served = (...logprobs: (number | null)[]) => strict<Policy>('policy', { score: async () => logprobs });
  const stored = () => Publication.parse(readJson(stores.episodes, keys.publication));

  /** Version 1 is current; iteration 2 trained version 2. */
  const trained = async (summary: object = SUMMARY, scores: Scores = SCORES) => {
    await putJson(stores.episodes, keys.plan, plan({ policyVersion: 1, nextPolicyVersion: 2, windowStart: 2 }));
    await putJson(stores.episodes, keys.scores, scores);
    await putJson(stores.policies, policy.manifest(1), manifest(1, 0));
    await stores.policies.put(`${policy.trainedModel(JOB)}config.json`, '{}');
    await stores.policies.put(`${policy.trainedModel(JOB)}model.safetensors`, 'weights');
    await stores.policies.put(`${policy.trainingState(JOB)}optimizer.pt`, 'moments');
    await putJson(stores.policies, policy.trainingSummary(JOB), summary);
    await putJson(stores.policies, policy.probe(JOB), { sequences: [{ tokenIds: [1, 2], logprobs: [null, -1] }] });
  };

  /** Version 1 was scored in iteration 1; the candidate wins `wins` of its 10 instances now. */
  const benchmark = async (reference: number, wins: number) => {
    const score = { policyVersion: 1, score: reference, standardError: 0.1, instances: 10, bySkill: {} };
    const before = {
      experiment: EXPERIMENT,
      iteration: 1,
      candidate: 1,
      promoted: true,
      current: 1,
      reason: 'promoted',
    };
    await putJson(stores.episodes, iterationKeys(EXPERIMENT, 1).publication, {
      ...before,
      probeGap: 0,
      benchmark: [score],
    });
    const config = experiment();
    const seeds = Array.from({ length: 10 }, (_, seed) => seed);
    await putJson(stores.corpora, config.evaluation.benchmark, {
      id: 'b1',
      skill: 'Optimization',
      level: 1,
      code: 'x',
      seeds,
    });
    await planBenchmark({ config, iteration: ITERATION, policyVersion: 2 }, stores);
    const lines = seeds.map((seed) => JSON.stringify(episode('b1', 'unhinted', seed, seed, seed < wins ? 1 : 0)));
    await stores.episodes.put(keys.evaluationEpisodes(2, 0), gzipText(`${lines.join('\n')}\n`));
  };

  beforeEach(async () => {
    stores = memoryStores();
    promoted = [];
    await begin(stores, experiment());
    deps = {
      stores,
      progress: UNSEEN,
      policy: served(null, -1.01),
      ledger: strict<Ledger>('ledger', {
        spend: async () => undefined,
        promote: async (_, iteration, version) => void promoted.push([iteration, version]),
      }),
    };
  });

  it('promotes a candidate that is served as trained, with a manifest of every file', async () => {
    await trained();
    expect(await publishPolicy(INPUT, deps)).toEqual({ current: 2, promoted: true, reason: 'promoted' });
    const published = PolicyManifest.parse(readJson(stores.policies, policy.manifest(2)));
    expect(published).toMatchObject({
      parent: 1,
      prefix: policy.trainedModel(JOB),
      trainingState: policy.trainingState(JOB),
    });
    expect(published.files).toEqual([
      { path: 'config.json', bytes: 2, sha256: sha256Hex('{}') },
      { path: 'model.safetensors', bytes: 7, sha256: sha256Hex('weights') },
    ]);
    expect(promoted).toEqual([[2, 2]]);
    expect(stored().probeGap).toBeCloseTo(0.01, 12);
  });

  it.each<[string, (number | null)[]]>([
    ['gives other log-probs', [null, -1.5]],
    ['gives NaN', [null, Number.NaN]],
  ])('keeps the current version when the server %s (T17)', async (_, logprobs) => {
    await trained();
    expect(await publishPolicy(INPUT, { ...deps, policy: served(...logprobs) })).toMatchObject({
      current: 1,
      reason: 'probe-mismatch',
    });
    expect(await stores.policies.exists(policy.manifest(2))).toBe(false);
    expect(promoted).toEqual([[2, 1]]);
  });

  it('keeps the current version when the benchmark fell by more than tolerated, and not when it fell by less (M27)', async () => {
    await trained();
    await benchmark(0.8, 6);
    expect(await publishPolicy(INPUT, deps)).toMatchObject({ current: 1, reason: 'benchmark-fell' });
    expect(stored().benchmark).toMatchObject([
      { policyVersion: 2, score: 0.6, instances: 10, bySkill: { Optimization: 0.6 } },
    ]);
    stores.episodes.objects.delete(keys.publication);
    await benchmark(0.65, 6);
    expect(await publishPolicy(INPUT, deps)).toMatchObject({ current: 2, promoted: true });
  });

  it('goes back to the parent of the current version when the designer is ill (M33)', async () => {
    await trained(SUMMARY, { ...SCORES, designerHealthy: false });
    expect(await publishPolicy({ ...INPUT, trained: false }, deps)).toEqual({
      current: 0,
      promoted: false,
      reason: 'designer-unhealthy',
    });
    expect(promoted).toEqual([[2, 0]]);
  });

  it.each([
    ['skipped all its steps', { ...SUMMARY, status: 'no-update' }, 'training-no-update'],
    ['did not happen', null, 'nothing-trained'],
  ] as const)('keeps the current version when training %s (M24)', async (_, summary, reason) => {
    await trained(summary ?? SUMMARY);
    if (summary === null) stores.policies.objects.delete(policy.trainingSummary(JOB));
    expect(await publishPolicy(INPUT, deps)).toMatchObject({ current: 1, promoted: false, reason });
  });

  it('makes good a crash between manifest, ledger and publication, with the same result (T18)', async () => {
    await trained();
    const output = await publishPolicy(INPUT, deps);
    const objects = [new Map(stores.policies.objects), new Map(stores.episodes.objects)];
    stores.episodes.objects.delete(keys.publication);
    expect(await publishPolicy(INPUT, deps)).toEqual(output);
    stores.policies.objects.delete(policy.manifest(2));
    stores.episodes.objects.delete(keys.publication);
    expect(await publishPolicy(INPUT, deps)).toEqual(output);
    expect([stores.policies.objects, stores.episodes.objects]).toEqual(objects);
  });

  it('answers a replay from the publication', async () => {
    await trained();
    const output = await publishPolicy(INPUT, deps);
    expect(
      await publishPolicy({ ...INPUT, trained: false }, { ...deps, policy: strict<Policy>('policy', {}) }),
    ).toEqual(output);
  });
});
