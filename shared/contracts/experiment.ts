import * as z from 'zod';
import { DIFFICULTY_DIMENSIONS, ExperimentId, SamplerSettings, Setting } from './primitives.ts';

const fraction = z.number().min(0).max(1);
const count = z.int().min(0);
const positive = z.number().gt(0);

/** Names of the built-in profiles; a profile supplies every value that the experiment file leaves out. */
export const PROFILE_NAMES = ['tiny', 'qwen3-4b', 'qwen3-8b', 'qwen3-30b-a3b'] as const;

/** Designer reward variants (M10). */
export const REWARD_VARIANTS = ['blend', 'regret', 'solve-rate', 'learning-potential'] as const;

const Grounding = z.strictObject({
  /** M30: off = no document in the design request. */
  enabled: z.boolean(),
  /** Key of the corpus (JSON lines) in the corpora store. */
  corpus: z.string().min(1),
  /** The document is cut to this many words (M13). */
  maxDocTokens: z.int().min(1).max(20000),
});

const Memory = z.strictObject({
  enabled: z.boolean(),
  /** High-regret examples shown in a design request (M14). */
  highRegretExamples: count,
  counterExamples: count,
  /** Win rates outside this band are not frontier examples (M14). */
  frontier: z.tuple([fraction, fraction]),
  /** Examples are drawn from the top max(poolFactor·n, poolMinimum) by regret. */
  poolFactor: z.int().min(1),
  poolMinimum: z.int().min(1),
  /** Counter-examples: win rate above / below these. */
  tooEasy: fraction,
  tooHard: fraction,
  /** Recent titles listed as already made (M15). */
  titles: count,
  /** Code of an example is cut to this many characters. */
  codeCharacters: count,
});

const DesignerReward = z.strictObject({
  variant: z.enum(REWARD_VARIANTS),
  regretWeight: z.number().min(0),
  plateauWeight: z.number().min(0),
  /** Regret at which the regret term of `blend` saturates. */
  regretScale: positive,
  plateauLow: fraction,
  plateauHigh: fraction,
  plateauRamp: positive,
  /** Upper bound of the per-skill scale (M11). */
  maximumScale: positive,
  /** Reward of a program that exceeds its step deadline in play (M9). */
  timeoutReward: z.number().min(-1).max(0),
  /** Reward of a program that faults in one arm or in place of every loss (`fault.selective`). */
  faultReward: z.number().min(-1).max(0),
  /** Regret that counts of a program whose hint may simply hold a secret (`regret.secret_only`). */
  secretRegret: z.number().min(0).max(2),
  /** Slow EMA of `learning-potential`. */
  emaDecay: fraction,
});

const Designer = z.strictObject({
  /** `policy`: the policy designs; `pool`: nothing is designed, imported environments are played (M30). */
  source: z.enum(['policy', 'pool']),
  /** M30: off = designs are sampled but never trained. */
  train: z.boolean(),
  /** Environments asked for in one generation window. */
  environments: z.int().min(1).max(1000),
  repairTurns: z.int().min(0).max(1),
  reward: DesignerReward,
  /** M33: below this fraction of its running mean the valid fraction undoes the designer's update. */
  healthFraction: fraction,
});

const Agent = z.strictObject({
  /** Episodes per environment and arm: the group size (M5). */
  episodes: z.int().min(2).max(256),
  maxTurns: z.int().min(1).max(100),
  /** `budget`: a program is told `maxTurns`; `own`: it keeps its own number of turns, up to `maxTurns`. */
  turns: z.enum(['budget', 'own']),
  /** What a game is given of a message: all of it, or its last or first `\boxed{…}` alone (cases T8; the reference takes the first). */
  action: z.enum(['message', 'last-boxed', 'first-boxed']),
  /** A return above this counts as a win. */
  winThreshold: z.number().min(-1).lt(1),
  /** Groups with fewer than this fraction of their episodes played are dropped. */
  minimumGroupFraction: fraction,
  advantage: z.enum(['mean-centred', 'zscore']),
  /** `final`: the final step's reward (M7); `sum`: clamped sum of the per-step rewards (M21). */
  scoring: z.enum(['final', 'sum']),
});

const Controller = z.strictObject({
  /** M17: off = difficulty stays at `start`. */
  enabled: z.boolean(),
  /** Dimensions that the controller moves. */
  dimensions: z.array(z.enum(DIFFICULTY_DIMENSIONS)).min(1),
  start: z.number().min(1).max(6),
  step: z.number().gt(0).max(2),
  low: fraction,
  high: fraction,
});

const Duplicates = z.strictObject({
  /** Jaccard similarity of shingles at and above which two programs are near-twins, such as those that differ in a constant (M15). */
  similarity: fraction,
  /** How many near-twins are admitted in one experiment: 1 = the first only; 0 = no limit. The same syntax tree twice never is. */
  sameTree: count,
});

const Training = z.strictObject({
  learningRate: positive.max(1),
  adamBeta1: fraction,
  adamBeta2: fraction,
  weightDecay: z.number().min(0),
  clipLow: fraction,
  clipHigh: z.number().min(0),
  /** Cap of truncated importance sampling between sampler and trainer. */
  tisCap: positive,
  aggregation: z.enum(['sample-mean', 'token-mean']),
  agentWeight: z.number().min(0),
  designerWeight: z.number().min(0),
  klCoefficient: z.number().min(0),
  entropyCoefficient: z.number().min(0),
  epochs: z.int().min(1).max(16),
  stepsPerEpoch: z.int().min(1).max(1024),
  maxTokensPerMicrobatch: z.int().min(64),
  maxGradientNorm: positive,
  precision: z.enum(['float32', 'float64', 'bfloat16']),
  /** 0 = full fine-tuning. */
  loraRank: count.max(512),
  /** M34. `warmup` also applies to the first job of a policy without training state. */
  optimizerState: z.enum(['carry', 'fresh', 'warmup']),
  warmupSteps: count,
  threads: z.int().min(1).max(256),
  /** SageMaker: instance, count and time limits (seconds). */
  instanceType: z.string().regex(/^ml\.[a-z0-9-]+\.[a-z0-9]+$/),
  instanceCount: z.int().min(1).max(32),
  volumeGb: z.int().min(1).max(16384),
  maxRuntimeSeconds: z.int().min(60).max(2_419_200),
  maxWaitSeconds: z.int().min(60).max(2_419_200),
  spot: z.boolean(),
});

const Evaluation = z.strictObject({
  /** Iterations between evaluations; the first policy and the last version are always scored. 0 = never. */
  every: count,
  /** Key of the benchmark pool in the corpora store. */
  benchmark: z.string().min(1),
  /** Stratified sample of this many instances; 0 = all (M26). */
  instances: count,
  temperature: z.number().min(0).max(2),
  /** M27: a candidate whose score falls more than this below the current version is not promoted. 1 = off. */
  tolerance: fraction,
});

const Serving = z.strictObject({
  /** `http(s)://host/v1`, `sagemaker://endpoint`, or `auto`: what the deployment or the laptop provides. */
  policy: z.string().regex(/^(auto|https?:\/\/.+|sagemaker:\/\/.+)$/),
  /** Directory or store prefix of the first policy; `tiny` is the embedded one. */
  initialPolicy: z.string().min(1),
  requestTimeoutSeconds: z.int().min(1).max(900),
  maxAttempts: z.int().min(1).max(20),
  /** Largest difference of probe log-probs between trainer and server, natural logs (M24). */
  probeTolerance: positive,
  contextTokens: z.int().min(64),
  instanceType: z.string().min(1),
});

const Limits = z.strictObject({
  /** Environments per rollout task. */
  environmentsPerShard: z.int().min(1).max(1000),
  maxConcurrentDesigns: z.int().min(1).max(40),
  maxConcurrentRollouts: z.int().min(1).max(40),
  /** Episodes in flight inside one rollout task. */
  episodeConcurrency: z.int().min(1).max(4096),
  stepMs: z.int().min(10),
  episodeMs: z.int().min(100),
  memoryMb: z.int().min(32),
  observationBytes: z.int().min(256),
  sourceBytes: z.int().min(256),
  /** Modules outside the standard library that programs may import, installed for the sandbox's Python. */
  modules: z.array(z.string().regex(/^[A-Za-z_]\w*$/)).max(16),
});

/** The optional LLM judge of programs (M20). It is asked about programs that validation accepted, and can never accept one. */
const Judge = z.strictObject({
  /** `advise` notes its doubts on the card, `require` refuses a program that it does not call solvable. */
  mode: z.enum(['off', 'advise', 'require']),
  /** `http(s)://host/v1` of any OpenAI-compatible server, or `auto`: the policy that is being trained. */
  policy: z.string().regex(/^(auto|https?:\/\/.+)$/),
  /** Model name at that server; with `auto` the current version is asked. */
  model: z.string(),
  maxTokens: z.int().min(16).max(65536),
});

/**
 * Everything an experiment is, complete and closed: unknown keys are errors. People write a part of it in YAML; a profile
 * supplies the rest (`shared/domain/profiles.ts`). Section numbers are method.md's requirements.
 */
export const ExperimentConfig = z.strictObject({
  experiment: ExperimentId,
  profile: z.enum(PROFILE_NAMES),
  setting: Setting,
  seed: z.int().min(0).max(0xffffffff),
  iterations: z.int().min(1).max(9999),
  /** Name of the prompt set in `shared/prompts`. */
  prompts: z.enum(['tiny', 'standard']),
  skills: z.array(z.string().min(1)).min(1),
  /** Skills drawn for each generation window (M16). */
  skillsPerWindow: z.int().min(1),
  /** Iterations that one set of environments is played (M12, R). */
  windowLength: z.int().min(1).max(100),
  grounding: Grounding,
  memory: Memory,
  designer: Designer,
  agent: Agent,
  samplers: z.strictObject({ agent: SamplerSettings, designer: SamplerSettings, hint: SamplerSettings }),
  controller: Controller,
  judge: Judge,
  duplicates: Duplicates,
  training: Training,
  evaluation: Evaluation,
  serving: Serving,
  limits: Limits,
  budget: z.strictObject({ maxUsd: z.number().min(0) }),
});
export type ExperimentConfig = z.infer<typeof ExperimentConfig>;
