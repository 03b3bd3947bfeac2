import { describe, expect, it } from 'vitest';
import {
  type Arm,
  Design,
  type ExperimentConfig,
  IterationRecord,
  iterationKeys,
  PolicyManifest,
  policyKeys,
  RolloutJob,
  type ScoreOutput,
} from '../shared/contracts/index.ts';
import { environmentHash, sha256Hex } from '../shared/domain/canonical-json.ts';
import type { Events, Ledger, Memory, MemoryEntry, Policy, PolicyHost } from '../shared/ports/index.ts';
import { createHandler as admit } from './admit-environments/handler.ts';
import { storeEnvironment } from './admit-environments/store-environment.ts';
import { createHandler as close } from './close-iteration/handler.ts';
import { createHandler as design } from './design-environment/handler.ts';
import type { Host } from './host.ts';
import { gzipText } from './objects.ts';
import { createHandler as planEvaluation } from './plan-evaluation/handler.ts';
import { createHandler as plan } from './plan-iteration/handler.ts';
import { createHandler as publish } from './publish-policy/handler.ts';
import { createHandler as score } from './score-rollouts/handler.ts';
import { createHandler as serve } from './serve-policy/handler.ts';
import { NO_TELEMETRY } from './telemetry.ts';
import { type MemoryStores, memoryStores } from './testing/memory-store.ts';
import {
  accepted,
  begin,
  EXPERIMENT,
  episode,
  experiment,
  LEVEL_TWO,
  putJson,
  readJson,
  UNSEEN,
} from './testing/objects.ts';
import { strict } from './testing/strict.ts';
import { createHandler as validate } from './validate-environment/handler.ts';

const BENCHMARK = { id: 'b1', skill: 'Optimization', level: 1, code: 'x', seeds: [1, 2, 3, 4] };

/** A whole host in memory: a policy that writes a new program each time, a judge that accepts it. */
function hostInMemory(stores: MemoryStores) {
  let written = 0;
  const ledger = { current: 0 };
  const entries = new Map<string, MemoryEntry>();
  const served: string[] = [];
  const host: Host = {
    stores,
    progress: UNSEEN,
    telemetry: NO_TELEMETRY,
    versions: {},
    policy: strict<Policy>('policy', {
      complete: async ({ seed, messages }) => {
        const text =
          messages[0]?.content === 'hint' ? 'Count first.' : `class Game${seed}Env:\n    number = ${(written += 1)}\n`;
        return { text, finishReason: 'stop', promptTokenIds: [1], tokenIds: [2], logprobs: [-1] };
      },
      score: async (_, tokenIds) => tokenIds.map((_id, at) => (at === 0 ? null : -1)),
    }),
    policyHost: strict<PolicyHost>('policyHost', {
      ensureServed: async (model) => served.push(model) > 0,
      release: async () => undefined,
    }),
    memory: strict<Memory>('memory', {
      topByRegret: async () => [],
      recentTitles: async () => [],
      candidates: async () => [],
      index: async () => undefined,
      find: async (_, hash) => entries.get(hash) ?? null,
      record: async (_, entry) => void entries.set(entry.environment, entry),
    }),
    ledger: strict<Ledger>('ledger', {
      totalUsd: async () => 0,
      stopRequested: async () => false,
      currentPolicy: async () => ledger.current,
      recordIteration: async () => undefined,
      spend: async () => undefined,
      promote: async (_, __, version) => void (ledger.current = version),
    }),
    events: strict<Events>('events', { iterationCompleted: async () => undefined }),
    chat: () => {
      throw new Error('no judge is configured');
    },
    validate: async ({ source }) => ({
      verdict: accepted(/\w+Env/.exec(source)?.[0] ?? '', source),
      infraLost: false,
      timings: {},
    }),
  };
  return { host, entries, served };
}

/** Plays a job as the worker would: hinted always won, unhinted won on even indices. */
async function work(stores: MemoryStores, jobKey: string): Promise<void> {
  const job = RolloutJob.parse(readJson(stores.episodes, jobKey));
  const keys = iterationKeys(EXPERIMENT, job.iteration);
  const lines = ({ id, seeds }: RolloutJob['environments'][number], arms: Arm[]) =>
    seeds.flatMap((seed, index) =>
      arms.map(
        (arm) =>
          `${JSON.stringify({ ...episode(id, arm, index, seed, arm === 'hinted' || index % 2 === 0 ? 1 : 0), iteration: job.iteration })}\n`,
      ),
    );
  if (job.kind === 'evaluate') {
    const key = keys.evaluationEpisodes(job.policyVersion, job.shard);
    return stores.episodes.put(key, gzipText(job.environments.flatMap((one) => lines(one, ['unhinted'])).join('')));
  }
  for (const one of job.environments) {
    await stores.episodes.put(keys.episodes(one.id), gzipText(lines(one, ['hinted', 'unhinted']).join('')));
  }
}

/** Leaves what the trainer leaves. */
async function train(stores: MemoryStores, training: NonNullable<ScoreOutput['training']>): Promise<void> {
  const keys = policyKeys(EXPERIMENT);
  await stores.policies.put(`${keys.trainedModel(training.jobName)}model.safetensors`, training.jobName);
  await stores.policies.put(`${keys.trainingState(training.jobName)}state.pt`, 'state');
  await putJson(stores.policies, keys.probe(training.jobName), {
    sequences: [{ tokenIds: [1, 2], logprobs: [null, -1] }],
  });
  await putJson(stores.policies, keys.trainingSummary(training.jobName), {
    ...{
      policyVersion: Number(training.hyperParameters.policy_version),
      steps: 1,
      skippedSteps: 0,
      samples: {},
      tokens: 9,
    },
    ...{ loss: 0, lossByRole: {}, gradientNorm: 1, samplerGap: 0, clipFraction: 0, status: 'completed' },
  });
}

/** The state machine by hand: the units in its order, with the inputs that it renders. */
async function iterate(host: Host, stores: MemoryStores, iteration: number) {
  const input = { experiment: EXPERIMENT, iteration, attempt: 1 };
  const planned = await plan({}, host)(input);
  await serve({}, host)({ ...input, policyVersion: planned.policyVersion });
  for (const { index } of planned.designs) {
    await design({}, host)({ ...input, index, turn: 0 });
    await validate({}, host)({ ...input, index, turn: 0 });
  }
  const { shards } = await admit({}, host)(input);
  for (const { job } of shards) await work(stores, job);
  const scored = await score({}, host)(input);
  if (scored.training !== null) {
    await train(stores, scored.training);
    await serve({}, host)({ ...input, policyVersion: planned.nextPolicyVersion });
  }
  const evaluation = await planEvaluation({}, host)({ ...input, trained: scored.train });
  for (const { job } of evaluation.shards) await work(stores, job);
  await publish({}, host)({ ...input, trained: scored.train });
  return close({}, host)({ ...input, stop: planned.stop });
}

/** Puts six environments into the store and the memory, as an import does. */
async function importSix(config: ExperimentConfig, host: Host): Promise<void> {
  for (const [line, skill] of [1, 2, 3, 4, 5, 6].map((n) => [n, config.skills[n % 2] as string] as const)) {
    const source = `class Pool${line}Env: pass`;
    const verdict = accepted(`Pool${line}Env`, source);
    const provenance = {
      ...{ experiment: EXPERIMENT, iteration: 0 as const, pool: 'pool.jsonl', poolSha256: 'f', line, id: String(line) },
      ...{ metadata: {}, dependencies: {} },
    };
    const { title, syntaxHash, shingles } = verdict;
    const hash = environmentHash(source);
    const card = { hash, title, skill, difficulty: LEVEL_TWO, syntaxHash, shingles, provenance, verdict };
    await storeEnvironment(config, { card, source, hint: '' }, host);
  }
}

async function run(iterations: number, source: ExperimentConfig['designer']['source'] = 'policy') {
  const stores = memoryStores();
  const config = experiment((c) => ({ ...c, iterations, designer: { ...c.designer, source } }));
  await begin(stores, config);
  await stores.corpora.put(config.grounding.corpus, '{"text":"some words"}');
  await putJson(stores.corpora, config.evaluation.benchmark, BENCHMARK);
  const { host, ...seen } = hostInMemory(stores);
  if (source === 'pool') await importSix(config, host);
  for (let iteration = 1; iteration <= iterations; iteration++) await iterate(host, stores, iteration);
  return { stores, host, ...seen };
}

describe('an iteration, unit by unit', () => {
  it('ends in a new policy, measured environments and a record, and the next one goes on from it', async () => {
    const { stores, entries, served } = await run(2);
    const record = (iteration: number) =>
      IterationRecord.parse(readJson(stores.episodes, iterationKeys(EXPERIMENT, iteration).record));
    expect(record(1)).toMatchObject({
      policyVersion: 0,
      nextPolicyVersion: 1,
      promoted: true,
      designs: { accepted: 4, validFraction: 1 },
    });
    expect(record(1).benchmark.map(({ policyVersion, score: value }) => [policyVersion, value])).toEqual([
      [0, 0.5],
      [1, 0.5],
    ]);
    expect(record(1).scores).toMatchObject({ meanRegret: 0.5, groups: { kept: 4 }, samples: { agent: 16 } });
    expect(record(2)).toMatchObject({ policyVersion: 1, nextPolicyVersion: 2, stopReason: 'finished' });
    const manifest = PolicyManifest.parse(readJson(stores.policies, policyKeys(EXPERIMENT).manifest(2)));
    expect(manifest).toMatchObject({ parent: 1, files: [{ sha256: sha256Hex('spade-test-i0002-a1') }] });
    expect(entries.size).toBe(8);
    expect([...entries.values()].every(({ statistics }) => statistics?.regret === 0.5)).toBe(true);
    expect(served).toEqual(['test-v0000', 'test-v0001', 'test-v0001', 'test-v0002']);
  });

  it('plays a fixed pool: nothing is designed, the agent alone is trained, and the memory learns what play measured', async () => {
    const { stores, entries } = await run(2, 'pool');
    const record = IterationRecord.parse(readJson(stores.episodes, iterationKeys(EXPERIMENT, 1).record));
    expect(record).toMatchObject({
      ...{ promoted: true, nextPolicyVersion: 1 },
      designs: { requested: 0, accepted: 0, validFraction: null },
      scores: { designerHealthy: true, samples: { agent: 16, designer: 0 }, groups: { kept: 4 } },
    });
    expect(entries.size).toBe(6);
    const played = [...entries.values()].filter(({ statistics }) => statistics?.regret === 0.5);
    expect(played.length).toBeGreaterThanOrEqual(4);
  });

  it('changes no object when every unit is called again', async () => {
    const { stores, host } = await run(1);
    const before = Object.values(stores).map((store) => new Map(store.objects));
    const untouched = { ...host, policy: strict<Policy>('policy', {}) };
    await iterate(untouched, stores, 1);
    expect(Object.values(stores).map((store) => store.objects)).toEqual(before);
  });

  it('samples every text of an iteration with a seed of its own', async () => {
    const { stores } = await run(2);
    const designs = [1, 2].flatMap((iteration) =>
      [0, 1, 2, 3].map((index) =>
        Design.parse(readJson(stores.episodes, iterationKeys(EXPERIMENT, iteration).design(index, 0))),
      ),
    );
    expect(new Set(designs.map(({ source }) => /Game\d+/.exec(source)?.[0])).size).toBe(8);
  });
});
