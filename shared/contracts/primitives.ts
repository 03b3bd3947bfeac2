import * as z from 'zod';

/** Experiment id: lower-case letters, digits and dashes, 1–32 characters (fits S3 keys, job names and execution names). */
export const ExperimentId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'lower-case letters, digits and dashes, at most 32 characters');

/** Iterations count from 1; 0 stands for "before the first iteration". */
export const IterationNumber = z.int().min(1).max(9999);

/** Policy versions count from 0, the imported policy. */
export const PolicyVersion = z.int().min(0).max(9999);

/** Hex SHA-256 of the normalised source: the identity of an environment. */
export const EnvironmentHash = z.string().regex(/^[0-9a-f]{64}$/);

/** Seeds are 32-bit unsigned integers so that every language and every sampler takes them unchanged. */
export const Seed = z.int().min(0).max(0xffffffff);

/** The two arms of regret: the same seeds with and without the hint in the first observation. */
export const Arm = z.enum(['hinted', 'unhinted']);
export type Arm = z.infer<typeof Arm>;

/** The four outcomes of an episode (M6). Only `played` has a return. */
export const Outcome = z.enum(['played', 'env_fault', 'infra_lost', 'unresolved']);
export type Outcome = z.infer<typeof Outcome>;

export const Role = z.enum(['agent', 'designer']);
export type Role = z.infer<typeof Role>;

/** games: actions in `\boxed{}`; tool-use: OpenAI function schemas (M4). */
export const Setting = z.enum(['games', 'tool-use']);
export type Setting = z.infer<typeof Setting>;

/** The five dimensions of difficulty (M17); levels are real numbers in [1, 6], shown to the designer as integers. */
export const DIFFICULTY_DIMENSIONS = [
  'problemSize',
  'constraints',
  'modules',
  'uncertainty',
  'interactionLength',
] as const;
export type DifficultyDimension = (typeof DIFFICULTY_DIMENSIONS)[number];
const level = z.number().min(1).max(6);
export const Difficulty = z.strictObject({
  problemSize: level,
  constraints: level,
  modules: level,
  uncertainty: level,
  interactionLength: level,
});
export type Difficulty = z.infer<typeof Difficulty>;

/** Sampler settings, stored with every episode (M23). `topP` 1 and `topK` 0 mean no truncation. */
export const SamplerSettings = z.strictObject({
  temperature: z.number().min(0).max(2),
  topP: z.number().gt(0).max(1),
  topK: z.int().min(0),
  maxTokens: z.int().min(1).max(65536),
});
export type SamplerSettings = z.infer<typeof SamplerSettings>;

/** Tokens as they came from the sampler: equal lengths, log-probs under the distribution sampled from (M22). */
export const SampledTokens = z
  .strictObject({
    promptTokenIds: z.array(z.int().min(0)),
    tokenIds: z.array(z.int().min(0)),
    logprobs: z.array(z.number().max(0)),
  })
  .refine((s) => s.tokenIds.length === s.logprobs.length, 'tokenIds and logprobs differ in length');
export type SampledTokens = z.infer<typeof SampledTokens>;

export const FinishReason = z.enum(['stop', 'length']);
export type FinishReason = z.infer<typeof FinishReason>;
