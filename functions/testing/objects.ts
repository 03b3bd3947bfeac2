import {
  type Arm,
  type Design,
  type Difficulty,
  type Episode,
  type ExperimentConfig,
  experimentKey,
  iterationKeys,
  type PlanOutput,
  type PolicyManifest,
  policyKeys,
} from '../../shared/contracts/index.ts';
import type { Verdict } from '../../shared/contracts/verdict.ts';
import { sha256Hex } from '../../shared/domain/canonical-json.ts';
import { profileOf } from '../../shared/domain/profiles.ts';
import { gzipText } from '../objects.ts';
import type { MemoryStore, MemoryStores } from './memory-store.ts';

/** Name of the experiment of every test. */
export const EXPERIMENT = 'test';

/** A small experiment: two skills, four designs, four episodes an arm. What tests calculate with is fixed here: the profile is tuned. */
export function experiment(
  change: (config: ExperimentConfig) => ExperimentConfig = (config) => config,
): ExperimentConfig {
  const profile = profileOf('tiny');
  return change({
    ...profile,
    experiment: EXPERIMENT,
    seed: 7,
    iterations: 5,
    skills: ['Optimization', 'Logical Deduction'],
    skillsPerWindow: 2,
    windowLength: 1,
    designer: {
      ...profile.designer,
      environments: 4,
      repairTurns: 1,
      reward: { ...profile.designer.reward, maximumScale: 12 },
    },
    agent: { ...profile.agent, episodes: 4, maxTurns: 8 },
    controller: { ...profile.controller, start: 2, step: 0.5, low: 0.4, high: 0.6 },
    training: {
      ...profile.training,
      clipHigh: 0.28,
      optimizerState: 'carry',
      warmupSteps: 8,
      instanceType: 'ml.m5.xlarge',
      spot: true,
    },
    serving: { ...profile.serving, instanceType: 'ml.c5.xlarge', probeTolerance: 0.05 },
    memory: { ...profile.memory, codeCharacters: 200, titles: 5 },
    evaluation: { ...profile.evaluation, every: 2, instances: 0, tolerance: 0.1 },
    limits: { ...profile.limits, environmentsPerShard: 2 },
    budget: { maxUsd: 5 },
  });
}

export async function putJson(store: MemoryStore, key: string, value: unknown): Promise<void> {
  await store.put(key, JSON.stringify(value));
}

export function readJson(store: MemoryStore, key: string): unknown {
  const body = store.objects.get(key);
  if (body === undefined) throw new Error(`nothing is stored at ${key}`);
  return JSON.parse(new TextDecoder().decode(body));
}

/** Stores the configuration and the imported policy, as a host does before the first iteration. */
export async function begin(stores: MemoryStores, config: ExperimentConfig): Promise<void> {
  await putJson(stores.episodes, experimentKey(config.experiment), config);
  await putJson(stores.policies, policyKeys(config.experiment).manifest(0), manifest(0, null));
}

export function manifest(version: number, parent: number | null): PolicyManifest {
  return {
    experiment: EXPERIMENT,
    version,
    parent,
    iteration: version,
    format: 'huggingface',
    prefix: `${EXPERIMENT}/v${version}/files/`,
    files: [],
    trainingState: version === 0 ? null : `${EXPERIMENT}/state-of-v${version}/`,
    training: null,
  };
}

export function plan(change: Partial<PlanOutput> = {}): PlanOutput {
  return {
    policyVersion: 0,
    nextPolicyVersion: 1,
    windowStart: 1,
    designs: [0, 1, 2, 3].map((index) => ({ index })),
    maxConcurrentDesigns: 4,
    maxConcurrentRollouts: 2,
    stop: null,
    ...change,
  };
}

export const LEVEL_TWO: Difficulty = {
  problemSize: 2,
  constraints: 2,
  modules: 2,
  uncertainty: 2,
  interactionLength: 2,
};

/** A design whose program is told apart by `source`. */
export function design(index: number, source = `class Game${index}Env: pass`, change: Partial<Design> = {}): Design {
  return {
    experiment: EXPERIMENT,
    iteration: 1,
    index,
    turn: 0,
    source,
    parse: 'bare',
    text: source,
    finishReason: 'stop',
    tokens: { promptTokenIds: [1, 2], tokenIds: [3, 4], logprobs: [-0.5, -0.25] },
    hint: 'Count first.',
    promptHash: 'hash',
    ...change,
  };
}

/** An accepted verdict; programs with different `tree` are different programs. */
export function accepted(title: string, tree = title): Verdict {
  return {
    accepted: true,
    reason: null,
    detail: '',
    title,
    syntaxHash: sha256Hex(tree),
    shingles: [],
    layers: [{ layer: 'static', passed: true, reason: null, evidence: {} }],
    warnings: [],
    isolation: ['seccomp'],
    interpreter: 'CPython 3.11.7, linux x86_64',
  };
}

export function refused(reason: NonNullable<Verdict['reason']> = 'degenerate.always_win'): Verdict {
  const layers: Verdict['layers'] = [{ layer: 'trivial-policies', passed: false, reason, evidence: {} }];
  return { ...accepted('GameEnv'), accepted: false, reason, detail: 'it is won by any text', layers };
}

/** Token ids of all test episodes, one sampled token after two given ones. */
const SEQUENCE: Episode['sequences'][number] = { tokenIds: [1, 2, 3], mask: [0, 0, 1], logprobs: [0, 0, -0.5] };

export function episode(environment: string, arm: Arm, index: number, seed: number, value: number | null): Episode {
  const played = value !== null;
  return {
    experiment: EXPERIMENT,
    iteration: 1,
    environment,
    arm,
    index,
    seed,
    policyVersion: 0,
    outcome: played ? 'played' : 'env_fault',
    reason: played ? null : 'env.exception',
    return: value,
    rewards: played ? [value] : [],
    terminated: played,
    truncated: false,
    turns: [],
    sequences: played ? [SEQUENCE] : [],
    sampler: { temperature: 1, topP: 1, topK: 0, maxTokens: 64 },
  };
}

/** Stores one environment's episodes as the worker does. */
export async function putEpisodes(
  store: MemoryStore,
  iteration: number,
  id: string,
  episodes: Episode[],
): Promise<void> {
  const lines = episodes.map((one) => `${JSON.stringify({ ...one, iteration })}\n`).join('');
  await store.put(iterationKeys(EXPERIMENT, iteration).episodes(id), gzipText(lines));
}

/** Progress that nobody watches. */
export const UNSEEN = { emit: () => undefined };

export const INPUT = { experiment: EXPERIMENT, iteration: 1, attempt: 1 };
