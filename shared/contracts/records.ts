import * as z from 'zod';
import { EnvironmentStatistics } from './environment.ts';
import { Difficulty, ExperimentId, IterationNumber, PolicyVersion } from './primitives.ts';
import { TrainingSummary } from './training.ts';

const fraction = z.number().min(0).max(1);
const count = z.int().min(0);

/** What one window hands to the next: running values that a function of one iteration alone cannot know. */
export const Carry = z.strictObject({
  /** Slow EMA of the mean unhinted return, by skill (`learning-potential`). */
  skillEma: z.record(z.string(), z.number()),
  /** Mean of the difficulty requested so far, by skill, over `windows` generation windows (floor of M15). */
  difficultyMean: z.record(z.string(), z.strictObject({ mean: Difficulty, windows: z.int().min(1) })),
  /** Running mean of the valid fraction (accepted by validation, before duplicates are refused) over `windows` healthy windows (M33). */
  validFraction: z.strictObject({ mean: fraction, windows: count }),
  /** Multiplies the designers' scale; halved each time that the designer falls ill (M33). */
  designerScale: z.number().gt(0).max(1),
});
export type Carry = z.infer<typeof Carry>;

/** Phase 5's full result for one iteration. */
export const Scores = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  environments: z.array(EnvironmentStatistics),
  designers: z.array(
    z.strictObject({
      designIndex: count,
      skill: z.string(),
      /** Raw reward of the variant, before centring; 0 for a program that was not admitted. */
      raw: z.number(),
      advantage: z.number(),
    }),
  ),
  groups: z.strictObject({ kept: count, zeroSpread: count, short: count }),
  episodes: z.record(z.enum(['played', 'env_fault', 'infra_lost', 'unresolved']), count),
  meanReturn: z.strictObject({ hinted: z.number().nullable(), unhinted: z.number().nullable() }),
  winRate: z.strictObject({ hinted: z.number().nullable(), unhinted: z.number().nullable() }),
  meanRegret: z.number().nullable(),
  flooredFraction: fraction.nullable(),
  /** Requested difficulty of the next window, by skill (M17). */
  difficulty: z.record(z.string(), Difficulty),
  carry: Carry,
  /** False when this iteration's designs show that the last designer update did harm: it is undone (M33). */
  designerHealthy: z.boolean(),
  samples: z.strictObject({ agent: count, designer: count, tokens: count }),
  /** What kinds of answers the agent gave, counted over all turns of both arms (cases T8); see `actionKind`. */
  actions: z.record(z.string(), count),
  /** Iteration had nothing that could be trained, or lost more than half of its episodes to infrastructure. */
  degraded: z.boolean(),
});
export type Scores = z.infer<typeof Scores>;

/** Benchmark score of one policy version (M26): win rate over fixed instances, with its standard error. */
export const BenchmarkScore = z.strictObject({
  policyVersion: PolicyVersion,
  score: fraction,
  standardError: z.number().min(0),
  instances: count,
  bySkill: z.record(z.string(), fraction),
});
export type BenchmarkScore = z.infer<typeof BenchmarkScore>;

/** Phase 8's decision. */
export const Publication = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  candidate: PolicyVersion.nullable(),
  promoted: z.boolean(),
  /** The version that is current after this iteration. */
  current: PolicyVersion,
  reason: z.enum([
    'promoted',
    'nothing-trained',
    'probe-mismatch',
    'benchmark-fell',
    'designer-unhealthy',
    'training-no-update',
  ]),
  probeGap: z.number().nullable(),
  benchmark: z.array(BenchmarkScore),
});
export type Publication = z.infer<typeof Publication>;

/** Written last when a version is complete; only what it lists exists. Paths are relative to `prefix` in the policies store. */
export const PolicyManifest = z.strictObject({
  experiment: ExperimentId,
  version: PolicyVersion,
  parent: PolicyVersion.nullable(),
  iteration: z.int().min(0),
  format: z.enum(['huggingface', 'adapter']),
  prefix: z.string(),
  files: z.array(z.strictObject({ path: z.string(), bytes: count, sha256: z.string() })),
  /** Prefix of the training state that belongs to this version (M34); null for an imported policy. */
  trainingState: z.string().nullable(),
  training: TrainingSummary.nullable(),
});
export type PolicyManifest = z.infer<typeof PolicyManifest>;

/** Phase 9: the numbers of M28, one object per iteration, a function of configuration and seed. */
export const IterationRecord = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  windowStart: IterationNumber,
  policyVersion: PolicyVersion,
  nextPolicyVersion: PolicyVersion,
  promoted: z.boolean(),
  publication: z.string(),
  designs: z.strictObject({
    requested: count,
    accepted: count,
    repaired: count,
    duplicates: count,
    rejectedBy: z.record(z.string(), count),
    parse: z.record(z.string(), count),
    validFraction: fraction.nullable(),
  }),
  scores: Scores.omit({ environments: true, designers: true, experiment: true, iteration: true }),
  benchmark: z.array(BenchmarkScore),
  training: TrainingSummary.nullable(),
  stopReason: z.enum(['finished', 'budget', 'requested']).nullable(),
});
export type IterationRecord = z.infer<typeof IterationRecord>;

/** What a unit used, in the ledger; amounts in the units named, money in USD at the dated price table. */
export const SpendEntry = z.strictObject({
  experiment: ExperimentId,
  iteration: z.int().min(0),
  unit: z.string(),
  attempt: z.int().min(1),
  usage: z.record(z.string(), z.number().min(0)),
  usd: z.number().min(0),
  priceDate: z.string(),
});
export type SpendEntry = z.infer<typeof SpendEntry>;
