import * as z from 'zod';
import { IterationRequest } from './messages.ts';
import { ExperimentId, IterationNumber, PolicyVersion } from './primitives.ts';

/**
 * What travels through the state machine: pointers and counts only (256 KiB limit; overrides 8,192 characters in total).
 * One schema per function: input is parsed at the edge of each handler, output is what the next states read by JSONPath.
 */

/** Every unit is told at least which iteration it serves. */
export const IterationInput = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  attempt: z.int().min(1).max(99),
});
export type IterationInput = z.infer<typeof IterationInput>;

/** 1 plan-iteration. `stop` is the reason not to go on (budget, finished, requested), else null. */
export const PlanOutput = z.strictObject({
  policyVersion: PolicyVersion,
  nextPolicyVersion: PolicyVersion,
  windowStart: IterationNumber,
  /** Empty while the generation window is open. */
  designs: z.array(z.strictObject({ index: z.int().min(0) })),
  maxConcurrentDesigns: z.int().min(1),
  maxConcurrentRollouts: z.int().min(1),
  stop: z.enum(['finished', 'budget', 'requested']).nullable(),
});
export type PlanOutput = z.infer<typeof PlanOutput>;

/** 2 serve-policy: called again after a wait until `ready`. */
export const ServeInput = IterationInput.extend({ policyVersion: PolicyVersion });
export const ServeOutput = z.strictObject({ ready: z.boolean(), model: z.string() });
export type ServeInput = z.infer<typeof ServeInput>;
export type ServeOutput = z.infer<typeof ServeOutput>;

/** 3 design-environment and validate-environment. Turn 0 is the design, turn 1 its one repair. */
export const DesignInput = IterationInput.extend({ index: z.int().min(0), turn: z.int().min(0).max(1) });
export type DesignInput = z.infer<typeof DesignInput>;
export const DesignOutput = z.strictObject({ index: z.int().min(0), turn: z.int().min(0).max(1) });
export type DesignOutput = z.infer<typeof DesignOutput>;
export const ValidateOutput = z.strictObject({
  index: z.int().min(0),
  turn: z.int().min(0).max(1),
  accepted: z.boolean(),
  reason: z.string().nullable(),
  /** True when the error goes back to the designer once more. */
  repair: z.boolean(),
});
export type ValidateOutput = z.infer<typeof ValidateOutput>;

/** 3 admit-environments, and 7 plan-evaluation: shards for the rollout worker. */
export const ShardsOutput = z.strictObject({
  shards: z.array(z.strictObject({ shard: z.int().min(0), job: z.string() })),
});
export type ShardsOutput = z.infer<typeof ShardsOutput>;

/** 5 score-rollouts. `training.request` holds only what the CreateTrainingJob state cannot know statically. */
export const ScoreOutput = z.strictObject({
  train: z.boolean(),
  training: z
    .strictObject({
      jobName: z.string().max(63),
      policyPrefix: z.string(),
      batchPrefix: z.string(),
      statePrefix: z.string(),
      outputPrefix: z.string(),
      checkpointPrefix: z.string(),
      hyperParameters: z.record(z.string(), z.string().max(2500)),
      instanceType: z.string(),
      instanceCount: z.int(),
      volumeGb: z.int(),
      maxRuntimeSeconds: z.int(),
      maxWaitSeconds: z.int(),
      spot: z.boolean(),
      compression: z.enum(['NONE', 'GZIP']),
      hasState: z.boolean(),
      /** The model that an adapter is for; empty for a version with weights of its own. */
      basePrefix: z.string(),
      hasBase: z.boolean(),
    })
    .nullable(),
});
export type ScoreOutput = z.infer<typeof ScoreOutput>;

/** 8 publish-policy. */
export const PublishInput = IterationInput.extend({ trained: z.boolean() });
export type PublishInput = z.infer<typeof PublishInput>;
export const PublishOutput = z.strictObject({ current: PolicyVersion, promoted: z.boolean(), reason: z.string() });
export type PublishOutput = z.infer<typeof PublishOutput>;

/** 9 close-iteration. */
export const CloseInput = IterationInput.extend({ stop: z.enum(['finished', 'budget', 'requested']).nullable() });
/** `next`: the request that the event asks for, or null when the run stops. */
export const CloseOutput = z.strictObject({
  next: IterationRequest.nullable(),
  stopReason: z.enum(['finished', 'budget', 'requested']).nullable(),
});
export type CloseInput = z.infer<typeof CloseInput>;
export type CloseOutput = z.infer<typeof CloseOutput>;

/** fail-iteration: the error as Step Functions hands it over. */
export const FailInput = IterationInput.extend({
  error: z.strictObject({ Error: z.string(), Cause: z.string().optional() }),
});
/** Key of the failure object in the episodes store. */
export const FailOutput = z.strictObject({ failure: z.string() });
export type FailInput = z.infer<typeof FailInput>;
export type FailOutput = z.infer<typeof FailOutput>;
