import * as z from 'zod';
import { PolicyVersion, Role } from './primitives.ts';

/** One sequence of the training batch (JSON lines); read by `training-jobs/grpo`. */
export const TrainingSample = z
  .strictObject({
    id: z.string(),
    role: Role,
    /** Agent: the environment's group; designer: the skill that centred the reward. */
    group: z.string(),
    tokenIds: z.array(z.int().min(0)).min(2),
    mask: z.array(z.union([z.literal(0), z.literal(1)])),
    logprobs: z.array(z.number().max(0)),
    advantage: z.number(),
    /** Multiplies the sample's loss: 1/k for an episode kept in k sequences. */
    weight: z.number().gt(0),
    temperature: z.number().gt(0),
    /** Policy that sampled it; older than the trained one when designer training is delayed (M12). */
    policyVersion: PolicyVersion,
  })
  .refine((s) => s.tokenIds.length === s.mask.length && s.mask.length === s.logprobs.length, 'lengths differ')
  .refine((s) => s.mask[0] === 0, 'the first token has no context to be sampled from');
export type TrainingSample = z.infer<typeof TrainingSample>;

/** What the trainer reports in `summary.json`: a function of its inputs, so without times. */
export const TrainingSummary = z.object({
  policyVersion: PolicyVersion,
  steps: z.int().min(0),
  skippedSteps: z.int().min(0),
  samples: z.record(z.string(), z.int().min(0)),
  tokens: z.int().min(0),
  loss: z.number().nullable(),
  lossByRole: z.record(z.string(), z.number().nullable()),
  gradientNorm: z.number().nullable(),
  samplerGap: z.number().nullable(),
  clipFraction: z.number().nullable(),
  status: z.enum(['completed', 'no-update']),
});
export type TrainingSummary = z.infer<typeof TrainingSummary>;

/** Fixed sequences with the trainer's log-probs, compared with the server's before a version is promoted (M24). */
export const Probe = z.object({
  sequences: z.array(z.object({ tokenIds: z.array(z.int()), logprobs: z.array(z.number().nullable()) })),
});
export type Probe = z.infer<typeof Probe>;
