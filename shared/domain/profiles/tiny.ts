import type { Profile } from '../profiles.ts';
import { GAME_SKILLS } from '../skills.ts';
import { CONTROLLER, DESIGNER_REWARD, JUDGE, LOSS, MEMORY } from './method.ts';

/**
 * The laptop: the embedded policy of about a million parameters, on two cores, an iteration in seconds. Sizes follow what that
 * policy writes and plays; the learning rate is high because the model is small and its updates are few.
 */
export const TINY_PROFILE: Profile = {
  profile: 'tiny',
  setting: 'games',
  seed: 1,
  iterations: 5,
  prompts: 'tiny',
  // It was taught no family that asks for an understanding of language.
  skills: GAME_SKILLS.filter((skill) => skill !== 'Language Understanding'),
  skillsPerWindow: 8,
  windowLength: 1,
  grounding: { enabled: true, corpus: 'python-docs.jsonl', maxDocTokens: 12 },
  memory: { ...MEMORY, codeCharacters: 0, titles: 0 },
  designer: {
    source: 'policy',
    train: true,
    environments: 24,
    repairTurns: 0,
    // A long program shares one advantage; a larger scale unlearns valid programs within a few iterations (docs/measurements.md).
    reward: { ...DESIGNER_REWARD, maximumScale: 0.5 },
    healthFraction: 0.5,
  },
  agent: {
    episodes: 12,
    maxTurns: 8,
    turns: 'budget',
    action: 'message',
    winThreshold: 0.5,
    minimumGroupFraction: 0.5,
    advantage: 'mean-centred',
    scoring: 'final',
  },
  samplers: {
    agent: { temperature: 1, topP: 1, topK: 0, maxTokens: 64 },
    designer: { temperature: 1, topP: 1, topK: 0, maxTokens: 320 },
    hint: { temperature: 1, topP: 1, topK: 0, maxTokens: 24 },
  },
  // The embedded policy follows one level; the other dimensions are not taught to it.
  controller: { ...CONTROLLER, dimensions: ['problemSize'], start: 1 },
  judge: JUDGE,
  // Its programs come from few families: only the very same program twice is refused.
  duplicates: { similarity: 0.9, sameTree: 0 },
  training: {
    ...LOSS,
    learningRate: 3e-4,
    adamBeta1: 0.9,
    adamBeta2: 0.98,
    weightDecay: 0,
    stepsPerEpoch: 4,
    maxTokensPerMicrobatch: 8192,
    precision: 'float32',
    loraRank: 0,
    optimizerState: 'carry',
    warmupSteps: 4,
    threads: 2,
    instanceType: 'ml.m5.xlarge',
    instanceCount: 1,
    volumeGb: 10,
    maxRuntimeSeconds: 1800,
    maxWaitSeconds: 3600,
    spot: true,
  },
  evaluation: { every: 5, benchmark: 'tiny-benchmark.jsonl', instances: 240, temperature: 1, tolerance: 0.1 },
  serving: {
    policy: 'auto',
    initialPolicy: 'tiny',
    requestTimeoutSeconds: 60,
    maxAttempts: 5,
    probeTolerance: 0.05,
    contextTokens: 1024,
    instanceType: 'ml.c5.xlarge',
  },
  limits: {
    environmentsPerShard: 240,
    maxConcurrentDesigns: 24,
    maxConcurrentRollouts: 2,
    episodeConcurrency: 640,
    stepMs: 1000,
    episodeMs: 5000,
    // Episodes in flight are bounded by 0.8 × memory / memoryMb; these programs hold a few numbers.
    memoryMb: 32,
    observationBytes: 4096,
    sourceBytes: 16384,
    modules: [],
  },
  budget: { maxUsd: 5 },
};
