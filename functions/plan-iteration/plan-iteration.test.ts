import { beforeEach, describe, expect, it } from 'vitest';
import { DesignRequest, type ExperimentConfig, environmentKeys, iterationKeys } from '../../shared/contracts/index.ts';
import type { Ledger, Memory, MemoryEntry } from '../../shared/ports/index.ts';
import { type MemoryStores, memoryStores } from '../testing/memory-store.ts';
import { begin, EXPERIMENT, experiment, INPUT, LEVEL_TWO, putJson, readJson, UNSEEN } from '../testing/objects.ts';
import { strict } from '../testing/strict.ts';
import { type PlanDeps, planIteration } from './plan-iteration.ts';

const CORPUS = ['{"text":"one two three"}', 'broken', '{"orig_doc":"four five six"}'].join('\n');

describe('planIteration', () => {
  let stores: MemoryStores;
  const ledgerOf = (parts: Partial<Ledger> = {}) =>
    strict<Ledger>('ledger', {
      totalUsd: async () => 0,
      stopRequested: async () => false,
      currentPolicy: async () => 0,
      recordIteration: async () => undefined,
      ...parts,
    });
  const emptyMemory = strict<Memory>('memory', { topByRegret: async () => [], recentTitles: async () => [] });
  const deps = (parts: Partial<PlanDeps> = {}): PlanDeps => ({
    stores,
    ledger: ledgerOf(),
    memory: emptyMemory,
    progress: UNSEEN,
    ...parts,
  });
  const start = async (change?: (config: ExperimentConfig) => ExperimentConfig) => {
    const config = experiment(change);
    await begin(stores, config);
    await stores.corpora.put(config.grounding.corpus, CORPUS);
    return config;
  };
  const requests = (iteration = 1) =>
    [0, 1, 2, 3].map((index) =>
      DesignRequest.parse(readJson(stores.episodes, iterationKeys(EXPERIMENT, iteration).designRequest(index))),
    );
  beforeEach(() => {
    stores = memoryStores();
  });

  it('asks for every design with a seed of its own and a document of the corpus, skills dealt in turn', async () => {
    await start();
    const plan = await planIteration(INPUT, deps());
    expect(plan).toMatchObject({ policyVersion: 0, nextPolicyVersion: 1, windowStart: 1, stop: null });
    expect(plan.designs).toEqual([0, 1, 2, 3].map((index) => ({ index })));
    const made = requests();
    expect(new Set(made.map(({ seed }) => seed)).size).toBe(4);
    expect(made.map(({ skill }) => skill)).toEqual([
      'Optimization',
      'Logical Deduction',
      'Optimization',
      'Logical Deduction',
    ]);
    for (const { document } of made) expect([1, 3]).toContain(document?.line);
  });

  it('asks for no design where imported environments are played (M30)', async () => {
    await start((config) => ({ ...config, designer: { ...config.designer, source: 'pool' } }));
    const plan = await planIteration(INPUT, deps({ memory: strict<Memory>('memory', {}) }));
    expect(plan).toMatchObject({ designs: [], windowStart: 1, stop: null });
  });

  it('gives the same plan and requests again, byte for byte, from the same inputs', async () => {
    await start();
    await planIteration(INPUT, deps());
    const first = new Map(stores.episodes.objects);
    stores = memoryStores();
    await start();
    await planIteration(INPUT, deps());
    expect(stores.episodes.objects).toEqual(first);
  });

  it('returns a plan that was begun although the policy has moved on, and writes nothing', async () => {
    await start();
    const plan = await planIteration(INPUT, deps());
    const { writes } = stores.episodes;
    const untouched = strict<Ledger>('ledger', {});
    expect(await planIteration(INPUT, deps({ ledger: untouched, memory: strict<Memory>('memory', {}) }))).toEqual(plan);
    expect(stores.episodes.writes).toBe(writes);
  });

  it.each([
    ['budget', { totalUsd: async () => 5 }, 1],
    ['requested', { stopRequested: async () => true }, 1],
    ['finished', {}, 6],
  ] as const)('stops for %s without a plan, so that it can go on later', async (reason, parts, iteration) => {
    await start();
    const plan = await planIteration({ ...INPUT, iteration }, deps({ ledger: ledgerOf(parts) }));
    expect(plan).toMatchObject({ stop: reason, designs: [] });
    expect(await stores.episodes.exists(iterationKeys(EXPERIMENT, iteration).plan)).toBe(false);
  });

  it('keeps the window open for R iterations, and opens a new one when it has no environments', async () => {
    await start((config) => ({ ...config, windowLength: 3 }));
    const environments = [
      { hash: 'a'.repeat(64), designIndex: 0, turn: 0, skill: 'x', title: 'XEnv', difficulty: LEVEL_TWO },
    ];
    const admission = { experiment: EXPERIMENT, iteration: 2, windowStart: 1, environments, refused: [] };
    await putJson(stores.episodes, iterationKeys(EXPERIMENT, 2).admission, admission);
    expect(await planIteration({ ...INPUT, iteration: 3 }, deps())).toMatchObject({ windowStart: 1, designs: [] });
    await putJson(stores.episodes, iterationKeys(EXPERIMENT, 3).admission, { ...admission, iteration: 3 });
    expect(await planIteration({ ...INPUT, iteration: 4 }, deps())).toMatchObject({ windowStart: 4 });
    await putJson(stores.episodes, iterationKeys(EXPERIMENT, 4).admission, {
      ...admission,
      iteration: 4,
      windowStart: 4,
      environments: [],
    });
    expect(await planIteration({ ...INPUT, iteration: 5 }, deps())).toMatchObject({ windowStart: 5 });
  });

  it('shows examples of earlier windows only, with their code, and asks the memory in bounded amounts', async () => {
    const config = await start();
    const asked: number[][] = [];
    const entry: MemoryEntry = {
      environment: 'b'.repeat(64),
      title: 'OldEnv',
      skill: 'Optimization',
      iteration: 1,
      syntaxHash: 's',
      difficulty: LEVEL_TWO,
      band: 'frontier',
      statistics: {
        environment: 'b'.repeat(64),
        meanReturn: { hinted: 1, unhinted: 0.5 },
        winRate: { hinted: 1, unhinted: 0.5 },
        regret: 0.5,
        floored: false,
        pairs: 4,
        episodes: {},
        timedOut: false,
        flags: [],
      } as never,
    };
    const memory = strict<Memory>('memory', {
      topByRegret: async (_, skill, band, limit, before) => {
        asked.push([limit, before]);
        return skill === 'Optimization' && band === 'frontier' ? [entry] : [];
      },
      recentTitles: async (_, limit, before) => (limit === config.memory.titles && before === 2 ? ['OldEnv'] : []),
    });
    await stores.environments.put(environmentKeys(EXPERIMENT, entry.environment).source, 'class OldEnv: …');
    await planIteration({ ...INPUT, iteration: 2 }, deps({ memory }));
    expect(new Set(asked.map(String))).toEqual(new Set([`${config.memory.poolMinimum},2`]));
    const [first, second] = requests(2);
    expect(first).toMatchObject({
      titles: ['OldEnv'],
      examples: [{ title: 'OldEnv', code: 'class OldEnv: …', note: 'frontier' }],
    });
    expect(second?.examples).toEqual([]);
  });

  it('shows nothing of the past and no document when memory and grounding are switched off (M30)', async () => {
    await start((config) => ({
      ...config,
      memory: { ...config.memory, enabled: false },
      grounding: { ...config.grounding, enabled: false },
    }));
    await planIteration({ ...INPUT, iteration: 2 }, deps({ memory: strict<Memory>('memory', {}) }));
    expect(requests(2)[0]).toMatchObject({ document: null, examples: [], titles: [] });
  });
});
