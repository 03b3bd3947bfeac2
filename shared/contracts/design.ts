import * as z from 'zod';
import {
  Difficulty,
  EnvironmentHash,
  ExperimentId,
  FinishReason,
  IterationNumber,
  PolicyVersion,
  SampledTokens,
  Seed,
  Setting,
} from './primitives.ts';

/** One example from the environment memory as the designer sees it (M14). Rates are fractions. */
export const MemoryExample = z.strictObject({
  environment: EnvironmentHash,
  title: z.string(),
  skill: z.string(),
  winRate: z.number().min(0).max(1),
  regret: z.number().min(0).max(2),
  note: z.enum(['frontier', 'too easy', 'too hard']),
  difficulty: Difficulty,
  code: z.string(),
});
export type MemoryExample = z.infer<typeof MemoryExample>;

/** What phase 1 asks the designer for; `design-environment` renders it with the experiment's prompt set. */
export const DesignRequest = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  index: z.int().min(0),
  setting: Setting,
  skill: z.string(),
  difficulty: Difficulty,
  document: z.strictObject({ line: z.int().min(1), text: z.string() }).nullable(),
  examples: z.array(MemoryExample),
  titles: z.array(z.string()),
  seed: Seed,
  policyVersion: PolicyVersion,
});
export type DesignRequest = z.infer<typeof DesignRequest>;

/** What the designer wrote in one turn; turn 0 is the training sample, turn 1 the repair (method §5). */
export const Design = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  index: z.int().min(0),
  turn: z.int().min(0).max(1),
  /** The program taken out of `text`; empty when the text holds none. */
  source: z.string(),
  /** Which parser rule picked the program (cases T8). */
  parse: z.string(),
  text: z.string(),
  finishReason: FinishReason,
  tokens: SampledTokens,
  hint: z.string(),
  promptHash: z.string(),
});
export type Design = z.infer<typeof Design>;
