import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ExperimentConfig, iterationKeys, Scores, TrainingSample } from '../../shared/contracts/index.ts';
import type { Ledger, Memory, MemoryEntry } from '../../shared/ports/index.ts';
import { episodeSeeds, rolloutJobs } from '../admit-environments/rollout-jobs.ts';
import { type MemoryStores, memoryStores } from '../testing/memory-store.ts';
import {
  begin,
  design,
  EXPERIMENT,
  episode,
  experiment,
  INPUT,
  LEVEL_TWO,
  manifest,
  plan,
  putEpisodes,
  putJson,
  readJson,
  UNSEEN,
} from '../testing/objects.ts';
import { strict } from '../testing/strict.ts';
import { type ScoreDeps, scoreRollouts } from './score-rollouts.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
type Values = readonly (number | null)[];

describe('scoreRollouts', () => {
  let stores: MemoryStores;
  let config: ExperimentConfig;
  let remembered: Map<string, MemoryEntry>;
  let deps: ScoreDeps;
  const keysOf = (iteration: number) => iterationKeys(EXPERIMENT, iteration);
  const scores = (iteration = 1) => Scores.parse(readJson(stores.episodes, keysOf(iteration).scores));
  const batch = (iteration = 1) =>
    gunzipSync(stores.episodes.objects.get(keysOf(iteration).batch) ?? new Uint8Array())
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => TrainingSample.parse(JSON.parse(line)));

  /** Two environments (designs 0 and 1), a refused design 2 and a lost design 3; `designs` empty while the window is open. */
  const begun = async (change?: (config: ExperimentConfig) => ExperimentConfig, environments = [A, B]) => {
    config = experiment(change);
    await begin(stores, config);
    await admitted(1, environments, plan());
    for (const index of [0, 1, 2, 3]) {
      await putJson(stores.episodes, keysOf(1).designRequest(index), {
        ...{
          experiment: EXPERIMENT,
          iteration: 1,
          index,
          setting: 'games',
          skill: 'Optimization',
          difficulty: LEVEL_TWO,
        },
        ...{ document: null, examples: [], titles: [], seed: 5, policyVersion: 0 },
      });
      await putJson(stores.episodes, keysOf(1).design(index, 0), design(index));
    }
  };
  const admitted = async (iteration: number, hashes: string[], planned: ReturnType<typeof plan>, turn = 0) => {
    const environments = hashes.map((hash, designIndex) => ({
      ...{ hash, designIndex, turn, skill: 'Optimization', title: 'GameEnv', difficulty: LEVEL_TWO },
    }));
    const refused =
      planned.designs.length === 0
        ? []
        : [
            ...[0, 1, 2].slice(hashes.length).map((designIndex) => ({ designIndex, reason: 'obs.empty', detail: '' })),
            { designIndex: 3, reason: 'lost', detail: '' },
          ];
    const admission = { experiment: EXPERIMENT, iteration, windowStart: planned.windowStart, environments, refused };
    await putJson(stores.episodes, keysOf(iteration).plan, planned);
    await putJson(stores.episodes, keysOf(iteration).admission, admission);
    for (const job of rolloutJobs(config, admission, 0))
      await putJson(stores.episodes, keysOf(iteration).rolloutJob(job.shard), job);
    for (const hash of hashes)
      remembered.set(hash, { environment: hash, iteration: 1, statistics: null, band: null } as MemoryEntry);
  };
  const played = async (hash: string, hinted: Values, unhinted: Values, iteration = 1) => {
    const seeds = episodeSeeds(config, iteration, hash);
    const arm = (name: 'hinted' | 'unhinted', values: Values) =>
      values.map((value, index) => episode(hash, name, index, seeds[index] as number, value));
    await putEpisodes(stores.episodes, iteration, hash, [...arm('hinted', hinted), ...arm('unhinted', unhinted)]);
  };
  beforeEach(() => {
    stores = memoryStores();
    remembered = new Map();
    deps = {
      stores,
      progress: UNSEEN,
      ledger: strict<Ledger>('ledger', { totalUsd: async () => 0, spend: async () => undefined }),
      memory: strict<Memory>('memory', {
        find: async (_, hash) => remembered.get(hash) ?? null,
        record: async (_, entry) => void remembered.set(entry.environment, entry),
      }),
    };
  });

  it('computes regret, advantages and rewards by hand-worked numbers', async () => {
    await begun();
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    await played(B, [1, 0, 0, 0], [0, 0, 0, 0]);
    const { train } = await scoreRollouts(INPUT, deps);
    expect(train).toBe(true);
    const [a, b] = scores().environments;
    expect(a).toMatchObject({ regret: 0.5, winRate: { hinted: 1, unhinted: 0.5 }, pairs: 4 });
    expect(b).toMatchObject({ regret: 0.25, winRate: { hinted: 0.25, unhinted: 0 } });
    expect(scores().groups).toEqual({ kept: 1, zeroSpread: 1, short: 0 });
    // Blend: A 0.4·1 + 0.6·1 = 1, B 0.4·1 + 0 = 0.4, the refused design 0; mean 7/15. Scale: min(12, 4 kept episodes / 3 designs) = 4/3.
    const raw = scores().designers.map(({ raw: value }) => value);
    expect(raw).toEqual([1, 0.4, 0]);
    const advantages = scores().designers.map(({ advantage }) => advantage);
    for (const [index, value] of [1, 0.4, 0].entries()) {
      expect(advantages[index]).toBeCloseTo((value - 7 / 15) * (4 / 3), 12);
    }
    expect(scores()).toMatchObject({
      meanReturn: { hinted: 0.625, unhinted: 0.25 },
      meanRegret: 0.375,
      degraded: false,
    });
  });

  it('trains the unhinted arm and first answers only', async () => {
    await begun();
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    await scoreRollouts(INPUT, deps);
    const samples = batch();
    expect(samples.filter(({ role }) => role === 'agent').map(({ id }) => id)).toEqual(
      [0, 1, 2, 3].map((i) => `1/${A}/unhinted/${i}/0`),
    );
    expect(samples.filter(({ role }) => role === 'agent').map(({ advantage }) => advantage)).toEqual([
      0.5, 0.5, -0.5, -0.5,
    ]);
    expect(samples.filter(({ role }) => role === 'designer').map(({ id }) => id)).toEqual(['1/design/0', '1/design/2']);
    expect(scores().samples).toEqual({ agent: 4, designer: 2, tokens: 4 * 3 + 2 * 4 });
  });

  it('takes a missing object as lost: no gradient, no regret, no win rate of 0, nothing charged to the designer', async () => {
    await begun();
    const { train, training } = await scoreRollouts(INPUT, deps);
    expect({ train, training }).toEqual({ train: false, training: null });
    expect(scores()).toMatchObject({
      degraded: true,
      meanRegret: null,
      winRate: { hinted: null, unhinted: null },
      episodes: { played: 0, infra_lost: 16 },
      groups: { kept: 0, short: 2 },
    });
    expect(scores().designers.map(({ designIndex }) => designIndex)).toEqual([2]);
  });

  it('counts an episode that was delivered twice once, and none that was not planned', async () => {
    await begun(undefined, [A]);
    const seeds = episodeSeeds(config, 1, A);
    const one = episode(A, 'unhinted', 0, seeds[0] as number, 1);
    await putEpisodes(stores.episodes, 1, A, [one, { ...one, return: -1 }, episode(A, 'unhinted', 1, 12345, 1)]);
    await scoreRollouts(INPUT, deps);
    expect(scores().environments[0]).toMatchObject({
      episodes: { played: 1, infra_lost: 7 },
      meanReturn: { unhinted: 1 },
    });
  });

  it('gives the first answer nothing when only its repair was admitted', async () => {
    await begun();
    await admitted(1, [A, B], plan(), 1);
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    await played(B, [1, 1, 1, 1], [1, 1, 0, 0]);
    await scoreRollouts(INPUT, deps);
    expect(scores().designers.map(({ raw }) => raw)).toEqual([0, 0, 0]);
  });

  it('holds designer samples back until the window ends, then rewards the whole window with regret of its first iteration', async () => {
    await begun((c) => ({ ...c, windowLength: 2 }), [A]);
    await played(A, [1, 1, 1, 1], [0, 0, 0, 0]);
    await scoreRollouts(INPUT, deps);
    expect(scores()).toMatchObject({ designers: [], difficulty: {}, samples: { designer: 0 } });
    await admitted(2, [A], plan({ windowStart: 1, designs: [], nextPolicyVersion: 2 }));
    await played(A, [1, 1, 1, 1], [1, 1, 1, 1], 2);
    await scoreRollouts({ ...INPUT, iteration: 2 }, deps);
    // Regret 1 saturates; the win rate over both iterations is 4 of 8, on the plateau.
    expect(scores(2).designers.map(({ raw }) => raw)).toEqual([1, 0, 0]);
    expect(remembered.get(A)).toMatchObject({
      band: 'frontier',
      statistics: { regret: 1, winRate: { unhinted: 0.5 } },
    });
  });

  it('moves the levels of a skill from its measured win rate', async () => {
    await begun();
    await played(A, [1, 1, 1, 1], [1, 1, 1, 1]);
    await played(B, [1, 1, 1, 1], [1, 1, 1, 0]);
    await scoreRollouts(INPUT, deps);
    const { start, step } = config.controller;
    expect(scores().difficulty.Optimization?.problemSize).toBe(start + step);
    expect(Object.keys(scores().difficulty)).toEqual(['Optimization']);
  });

  it('calls the designer ill when no environment survived: no training, half the scale', async () => {
    await begun(undefined, []);
    expect(await scoreRollouts(INPUT, deps)).toEqual({ train: false, training: null });
    expect(scores()).toMatchObject({
      designerHealthy: false,
      carry: { designerScale: 0.5, validFraction: { windows: 0 } },
    });
  });

  it('trains nobody for designs when the designer is frozen (M30)', async () => {
    await begun((c) => ({ ...c, designer: { ...c.designer, train: false } }));
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    await scoreRollouts(INPUT, deps);
    expect(batch().every(({ role }) => role === 'agent')).toBe(true);
  });

  it('asks for a job that carries the policy and its training state', async () => {
    await begun();
    await putJson(stores.episodes, keysOf(1).plan, plan({ policyVersion: 2, nextPolicyVersion: 3 }));
    await putJson(stores.policies, `${EXPERIMENT}/v0002/manifest.json`, manifest(2, 1));
    await stores.policies.put('test/state-of-v2/state.json', '{}');
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    const { training } = await scoreRollouts({ ...INPUT, attempt: 2 }, deps);
    expect(training).toMatchObject({
      jobName: 'spade-test-i0001-a2',
      policyPrefix: 'test/v2/files/',
      batchPrefix: keysOf(1).batchPrefix,
      statePrefix: 'test/state-of-v2/',
      hasState: true,
      outputPrefix: 'test/training/',
      checkpointPrefix: 'checkpoints/test/spade-test-i0001-a2/',
    });
    expect(training?.hyperParameters).toMatchObject({
      optimizer_state: 'carry',
      policy_version: '3',
      clip_high: '0.28',
    });
    expect(Object.values(training?.hyperParameters ?? {}).every((value) => typeof value === 'string')).toBe(true);
  });

  it('warms up when the state has gone in a long pause', async () => {
    await begun();
    await putJson(stores.episodes, keysOf(1).plan, plan({ policyVersion: 2, nextPolicyVersion: 3 }));
    await putJson(stores.policies, `${EXPERIMENT}/v0002/manifest.json`, manifest(2, 1));
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    expect((await scoreRollouts(INPUT, deps)).training).toMatchObject({
      ...{ hasState: false, hasBase: false, basePrefix: '' },
      hyperParameters: { optimizer_state: 'warmup' },
    });
  });

  it('gives an adapter the model that it is for', async () => {
    await begun();
    await putJson(stores.episodes, keysOf(1).plan, plan({ policyVersion: 2, nextPolicyVersion: 3 }));
    await putJson(stores.policies, `${EXPERIMENT}/v0002/manifest.json`, { ...manifest(2, 1), format: 'adapter' });
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    const { training } = await scoreRollouts(INPUT, deps);
    expect(training).toMatchObject({ hasBase: true, basePrefix: 'test/v0000/files/', policyPrefix: 'test/v2/files/' });
  });

  it('warms up a policy without training state', async () => {
    await begun();
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    const { training } = await scoreRollouts(INPUT, deps);
    expect(training).toMatchObject({
      hasState: false,
      statePrefix: '',
      hyperParameters: { optimizer_state: 'warmup' },
    });
  });

  it('does not train when the budget is spent', async () => {
    await begun();
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    const ledger = strict<Ledger>('ledger', { totalUsd: async () => 5, spend: async () => undefined });
    expect(await scoreRollouts(INPUT, { ...deps, ledger })).toEqual({ train: false, training: null });
  });

  it('gives the same scores, batch and memory again after a crash before the scores were stored', async () => {
    await begun();
    await played(A, [1, 1, 1, 1], [1, 1, 0, 0]);
    const output = await scoreRollouts(INPUT, deps);
    const objects = new Map(stores.episodes.objects);
    const memory = new Map(remembered);
    stores.episodes.objects.delete(keysOf(1).scores);
    expect(await scoreRollouts(INPUT, deps)).toEqual(output);
    expect(stores.episodes.objects).toEqual(objects);
    expect(remembered).toEqual(memory);
    expect(await scoreRollouts(INPUT, { ...deps, memory: strict<Memory>('memory', {}) })).toEqual(output);
  });
});
