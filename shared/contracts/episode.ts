import * as z from 'zod';
import {
  Arm,
  ExperimentId,
  FinishReason,
  IterationNumber,
  Outcome,
  PolicyVersion,
  SamplerSettings,
  Seed,
} from './primitives.ts';

/** One turn as text; token ids live in `sequences`. */
export const Turn = z.strictObject({
  observation: z.string(),
  text: z.string(),
  finishReason: FinishReason,
  reward: z.number().nullable(),
});

/** A prefix-merged token record (M22): mask 1 where the sampler chose the token, log-prob 0 elsewhere. */
export const TokenSequence = z
  .strictObject({
    tokenIds: z.array(z.int().min(0)),
    mask: z.array(z.union([z.literal(0), z.literal(1)])),
    logprobs: z.array(z.number().max(0)),
  })
  .refine((s) => s.tokenIds.length === s.mask.length && s.mask.length === s.logprobs.length, 'lengths differ');
export type TokenSequence = z.infer<typeof TokenSequence>;

/** One episode, as the rollout worker records it. Holds nothing that depends on the clock. */
export const Episode = z
  .strictObject({
    experiment: ExperimentId,
    iteration: IterationNumber,
    environment: z.string(),
    arm: Arm,
    index: z.int().min(0),
    seed: Seed,
    policyVersion: PolicyVersion,
    outcome: Outcome,
    /** Reason code of a fault or loss; null when played. */
    reason: z.string().nullable(),
    /** Final step's reward clamped to [−1, 1] if the program terminated, else 0 (M7); null unless played. */
    return: z.number().min(-1).max(1).nullable(),
    rewards: z.array(z.number()),
    terminated: z.boolean(),
    truncated: z.boolean(),
    turns: z.array(Turn),
    sequences: z.array(TokenSequence),
    sampler: SamplerSettings,
  })
  .refine((e) => (e.outcome === 'played') === (e.return !== null), 'only played episodes have a return (M6)');
export type Episode = z.infer<typeof Episode>;

/** What one rollout task plays. Written by the admission (phase 3) or the evaluation plan (phase 7). */
export const RolloutJob = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  shard: z.int().min(0),
  policyVersion: PolicyVersion,
  /** rollout: both arms, one object per environment; evaluate: unhinted only, one object per shard. */
  kind: z.enum(['rollout', 'evaluate']),
  environments: z.array(
    z.strictObject({
      /** Environment hash, or the id of a benchmark program. */
      id: z.string(),
      /** `environments` store key (rollout) or null: the program is in the benchmark pool. */
      sourceKey: z.string().nullable(),
      hintKey: z.string().nullable(),
      seeds: z.array(Seed).min(1),
      skill: z.string(),
    }),
  ),
});
export type RolloutJob = z.infer<typeof RolloutJob>;

/** Row of a benchmark pool (M26). */
export const BenchmarkRow = z.object({
  id: z.string().min(1),
  skill: z.string().min(1),
  level: z.number(),
  code: z.string().min(1),
  seeds: z.array(Seed).min(1),
});
export type BenchmarkRow = z.infer<typeof BenchmarkRow>;
