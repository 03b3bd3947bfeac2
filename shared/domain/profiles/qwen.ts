import type { Profile, ProfileName } from '../profiles.ts';
import { CONTROLLER, DESIGNER_REWARD, JUDGE, LOSS, MEMORY } from './method.ts';

/**
 * The paper's recipe for Qwen3 (method §7): 24 environments × 16 episodes, windows of four iterations, 400 iterations, Adam 1e-6,
 * full fine-tuning. `loraRank` above 0 trains adapters instead; then raise the learning rate about tenfold.
 */
const QWEN: Omit<Profile, 'profile'> = {
  setting: 'games',
  seed: 1,
  iterations: 400,
  prompts: 'standard',
  skills: [
    'Mathematical Reasoning',
    'Logical Deduction',
    'Spatial Reasoning',
    'Pattern Recognition',
    'Optimization',
    'Causal Inference',
  ],
  skillsPerWindow: 3,
  windowLength: 4,
  grounding: { enabled: true, corpus: 'corpus.jsonl', maxDocTokens: 6000 },
  memory: MEMORY,
  designer: {
    source: 'policy',
    train: true,
    environments: 24,
    repairTurns: 1,
    reward: DESIGNER_REWARD,
    healthFraction: 0.5,
  },
  agent: {
    episodes: 16,
    maxTurns: 25,
    // As the released recipe plays: programs set their own pace, and see the boxed answer alone (M4).
    turns: 'own',
    action: 'last-boxed',
    winThreshold: 0.5,
    minimumGroupFraction: 0.5,
    advantage: 'mean-centred',
    scoring: 'final',
  },
  samplers: {
    agent: { temperature: 0.6, topP: 1, topK: 0, maxTokens: 8192 },
    designer: { temperature: 0.6, topP: 1, topK: 0, maxTokens: 16384 },
    hint: { temperature: 0.6, topP: 1, topK: 0, maxTokens: 1024 },
  },
  controller: CONTROLLER,
  judge: JUDGE,
  duplicates: { similarity: 0.85, sameTree: 2 },
  training: {
    ...LOSS,
    learningRate: 1e-6,
    adamBeta1: 0.9,
    adamBeta2: 0.98,
    weightDecay: 0.1,
    stepsPerEpoch: 1,
    maxTokensPerMicrobatch: 32768,
    precision: 'bfloat16',
    loraRank: 0,
    optimizerState: 'carry',
    warmupSteps: 10,
    threads: 8,
    instanceType: 'ml.g6e.12xlarge',
    instanceCount: 1,
    volumeGb: 200,
    maxRuntimeSeconds: 14_400,
    maxWaitSeconds: 28_800,
    spot: true,
  },
  evaluation: { every: 10, benchmark: 'benchmark.jsonl', instances: 240, temperature: 0.6, tolerance: 0.05 },
  serving: {
    policy: 'auto',
    initialPolicy: 'models/qwen3-4b',
    requestTimeoutSeconds: 600,
    maxAttempts: 6,
    probeTolerance: 0.1,
    contextTokens: 32_768,
    instanceType: 'ml.g6e.2xlarge',
  },
  limits: {
    environmentsPerShard: 4,
    maxConcurrentDesigns: 24,
    maxConcurrentRollouts: 6,
    episodeConcurrency: 64,
    stepMs: 5000,
    episodeMs: 60_000,
    memoryMb: 512,
    observationBytes: 65_536,
    sourceBytes: 65_536,
    modules: [],
  },
  budget: { maxUsd: 200 },
};

function sized(profile: ProfileName, model: string, trainer: string, server: string, volumeGb: number): Profile {
  return {
    ...QWEN,
    profile,
    training: { ...QWEN.training, instanceType: trainer, volumeGb },
    serving: { ...QWEN.serving, initialPolicy: model, instanceType: server },
  };
}

/**
 * Instances hold the training state of full fine-tuning, about 18 bytes a parameter (bfloat16 weights and gradients, float32
 * master weights and two moments), with room for activations: 72 GB of 192, 144 GB of 384, 540 GB of 640.
 */
export const QWEN_PROFILES: Readonly<Record<Exclude<ProfileName, 'tiny'>, Profile>> = {
  'qwen3-4b': sized('qwen3-4b', 'models/qwen3-4b', 'ml.g6e.12xlarge', 'ml.g6e.2xlarge', 200),
  'qwen3-8b': sized('qwen3-8b', 'models/qwen3-8b', 'ml.g6e.48xlarge', 'ml.g6e.2xlarge', 400),
  'qwen3-30b-a3b': sized('qwen3-30b-a3b', 'models/qwen3-30b-a3b', 'ml.p5.48xlarge', 'ml.g6e.12xlarge', 1500),
};
