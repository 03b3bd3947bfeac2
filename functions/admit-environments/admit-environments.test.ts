import { beforeEach, describe, expect, it } from 'vitest';
import {
  Admission,
  EnvironmentCard,
  type ExperimentConfig,
  environmentKeys,
  iterationKeys,
  PolicyUnavailable,
  RolloutJob,
  SandboxUnavailable,
} from '../../shared/contracts/index.ts';
import type { Verdict } from '../../shared/contracts/verdict.ts';
import { environmentHash } from '../../shared/domain/canonical-json.ts';
import type { Ledger, Memory } from '../../shared/ports/index.ts';
import { type MemoryStores, memoryStores } from '../testing/memory-store.ts';
import {
  accepted,
  begin,
  design,
  EXPERIMENT,
  experiment,
  INPUT,
  LEVEL_TWO,
  plan,
  putJson,
  readJson,
  refused,
  UNSEEN,
} from '../testing/objects.ts';
import { strict } from '../testing/strict.ts';
import { type AdmitDeps, admitEnvironments } from './admit-environments.ts';

const keys = iterationKeys(EXPERIMENT, 1);
const BENCHMARK = { id: 'b1', skill: 'Optimization', level: 1, code: 'class BEnv: pass', seeds: [1, 2] };
const hashOf = (index: number) => environmentHash(design(index).source);

describe('admitEnvironments', () => {
  let stores: MemoryStores;
  let recorded: string[];
  let deps: AdmitDeps;
  const start = async (change?: (config: ExperimentConfig) => ExperimentConfig) => {
    const config = experiment(change);
    await begin(stores, config);
    await putJson(stores.episodes, keys.plan, plan());
    await putJson(stores.corpora, config.evaluation.benchmark, BENCHMARK);
    for (const index of [0, 1, 2, 3]) await judge(index, refused());
  };
  const judge = async (index: number, verdict: Verdict | null, turn = 0) => {
    await putJson(stores.episodes, keys.designRequest(index), {
      ...{
        experiment: EXPERIMENT,
        iteration: 1,
        index,
        setting: 'games',
        skill: 'Optimization',
        difficulty: LEVEL_TWO,
      },
      ...{ document: { line: 3, text: 'a document' }, examples: [], titles: [], seed: 5, policyVersion: 0 },
    });
    await putJson(stores.episodes, keys.design(index, turn), design(index, undefined, { turn }));
    if (verdict === null) stores.episodes.objects.delete(keys.verdict(index, turn));
    else await putJson(stores.episodes, keys.verdict(index, turn), verdict);
  };
  const admission = (iteration = 1) =>
    Admission.parse(readJson(stores.episodes, iterationKeys(EXPERIMENT, iteration).admission));
  const job = (key: string) => RolloutJob.parse(readJson(stores.episodes, key));
  beforeEach(() => {
    stores = memoryStores();
    recorded = [];
    deps = {
      stores,
      progress: UNSEEN,
      versions: { spade: '0.1.0' },
      ledger: strict<Ledger>('ledger', { spend: async () => undefined }),
      memory: strict<Memory>('memory', {
        candidates: async () => [],
        record: async (_, { environment }) => void recorded.push(environment),
        index: async () => undefined,
      }),
    };
  });

  it('admits what was accepted, says why each of the others was not, and stores source, hint and card first', async () => {
    await start();
    await judge(0, accepted('AEnv'));
    await judge(1, refused());
    await judge(2, accepted('CEnv'));
    await judge(3, null);
    await admitEnvironments(INPUT, deps);
    expect(admission().environments.map(({ designIndex, title }) => [designIndex, title])).toEqual([
      [0, 'AEnv'],
      [2, 'CEnv'],
    ]);
    expect(admission().refused.map(({ designIndex, reason }) => [designIndex, reason])).toEqual([
      [1, 'degenerate.always_win'],
      [3, 'lost'],
    ]);
    const files = environmentKeys(EXPERIMENT, hashOf(0));
    const text = (key: string) => new TextDecoder().decode(stores.environments.objects.get(key));
    expect(text(files.source)).toBe(design(0).source);
    expect(text(files.hint)).toBe('Count first.');
    const { provenance } = EnvironmentCard.parse(readJson(stores.environments, files.card));
    expect(provenance).toMatchObject({
      designIndex: 0,
      corpusLine: 3,
      policyVersion: 0,
      dependencies: { spade: '0.1.0' },
    });
    expect(recorded).toEqual([hashOf(0), hashOf(2)]);
  });

  it('decides by the last judged turn', async () => {
    await start();
    await judge(0, refused());
    await judge(0, accepted('AEnv'), 1);
    await judge(1, accepted('BEnv'));
    await judge(1, refused(), 1);
    await admitEnvironments(INPUT, deps);
    expect(admission().environments).toMatchObject([{ designIndex: 0, turn: 1 }]);
  });

  it('refuses the later of two equal programs of one window, and one that the memory knows', async () => {
    await start();
    await judge(0, accepted('AEnv', 'same tree'));
    await judge(1, accepted('BEnv', 'same tree'));
    await judge(2, accepted('CEnv', 'old tree'));
    await judge(3, accepted('DEnv', 'new tree'));
    const old = 'f'.repeat(64);
    const card = { ...accepted('OldEnv', 'old tree') };
    await putJson(stores.environments, environmentKeys(EXPERIMENT, old).card, {
      ...{ hash: old, title: 'OldEnv', skill: 'x', difficulty: LEVEL_TWO, syntaxHash: card.syntaxHash, shingles: [] },
      ...{ provenance: { experiment: EXPERIMENT, iteration: 1, designIndex: 0, turn: 0, policyVersion: 0 } },
      verdict: card,
    });
    const provenance = { promptHash: '', promptSet: 'tiny', corpusLine: null, dependencies: {} };
    const stored = readJson(stores.environments, environmentKeys(EXPERIMENT, old).card) as { provenance: object };
    await putJson(stores.environments, environmentKeys(EXPERIMENT, old).card, {
      ...stored,
      provenance: { ...stored.provenance, ...provenance },
    });
    const memory = strict<Memory>('memory', {
      candidates: async (_, buckets, before) =>
        before === 1 && buckets.includes(`tree:${card.syntaxHash}`) ? [old] : [],
      record: async () => undefined,
      index: async () => undefined,
    });
    await admitEnvironments(INPUT, { ...deps, memory });
    expect(admission().environments.map(({ title }) => title)).toEqual(['AEnv', 'DEnv']);
    expect(admission().refused.map(({ designIndex, reason }) => [designIndex, reason])).toEqual([
      [1, 'duplicate'],
      [2, 'duplicate'],
    ]);
  });

  it('plans shards of environments with one seed list each, and the imported policy on the benchmark', async () => {
    await start();
    for (const index of [0, 1, 2]) await judge(index, accepted(`Game${index}Env`));
    const { shards } = await admitEnvironments(INPUT, deps);
    expect(shards).toEqual([
      { shard: 0, job: keys.rolloutJob(0) },
      { shard: 1, job: keys.rolloutJob(1) },
      { shard: 2, job: keys.evaluationJob(0, 0) },
    ]);
    expect(job(keys.rolloutJob(0)).environments.map(({ id }) => id)).toEqual([hashOf(0), hashOf(1)]);
    const seeds = job(keys.rolloutJob(0)).environments.flatMap((environment) => environment.seeds);
    expect(new Set(seeds).size).toBe(8);
    expect(job(keys.evaluationJob(0, 0))).toMatchObject({
      kind: 'evaluate',
      environments: [{ id: 'b1', seeds: [1, 2], sourceKey: null }],
    });
  });

  it('plays the environments of an open window again, with new seeds and no benchmark', async () => {
    await start((config) => ({ ...config, windowLength: 2 }));
    await judge(0, accepted('AEnv'));
    await admitEnvironments(INPUT, deps);
    const next = iterationKeys(EXPERIMENT, 2);
    await putJson(stores.episodes, next.plan, plan({ policyVersion: 1, nextPolicyVersion: 2, designs: [] }));
    const { shards } = await admitEnvironments(
      { ...INPUT, iteration: 2 },
      { ...deps, memory: strict<Memory>('memory', {}) },
    );
    expect(shards).toEqual([{ shard: 0, job: next.rolloutJob(0) }]);
    expect(admission(2)).toMatchObject({
      iteration: 2,
      windowStart: 1,
      environments: [{ title: 'AEnv' }],
      refused: [],
    });
    const [first, second] = [job(keys.rolloutJob(0)), job(next.rolloutJob(0))].map(
      ({ environments }) => environments[0]?.seeds,
    );
    expect(second).not.toEqual(first);
  });

  it('stops where it can be taken up again when most designs were lost, and names what lost them', async () => {
    await start();
    for (const index of [0, 1, 2]) await judge(index, null);
    await expect(admitEnvironments(INPUT, deps)).rejects.toThrow(SandboxUnavailable);
    for (const index of [0, 1, 2]) stores.episodes.objects.delete(keys.design(index, 0));
    await expect(admitEnvironments(INPUT, deps)).rejects.toThrow(PolicyUnavailable);
    expect(await stores.episodes.exists(keys.admission)).toBe(false);
  });

  it('has no shards when nothing was admitted', async () => {
    await start((config) => ({ ...config, evaluation: { ...config.evaluation, every: 0 } }));
    for (const index of [0, 1, 2, 3]) await judge(index, refused());
    expect(await admitEnvironments(INPUT, deps)).toEqual({ shards: [] });
  });

  it('answers a replay from what is stored', async () => {
    await start();
    await judge(0, accepted('AEnv'));
    const first = await admitEnvironments(INPUT, deps);
    const { writes } = stores.episodes;
    const unused = { ...deps, memory: strict<Memory>('memory', {}), ledger: strict<Ledger>('ledger', {}) };
    expect(await admitEnvironments(INPUT, unused)).toEqual(first);
    expect(stores.episodes.writes).toBe(writes);
  });
});
