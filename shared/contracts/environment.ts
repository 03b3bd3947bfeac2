import * as z from 'zod';
import { Difficulty, EnvironmentHash, ExperimentId, IterationNumber, PolicyVersion } from './primitives.ts';
import { verdictSchema } from './verdict.ts';

/** Versions of what decides about environments: project, Python of the sandbox. */
const Dependencies = z.record(z.string(), z.string());

/** How a designer made an environment (M29), enough to replay its making. */
export const DesignedProvenance = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  designIndex: z.int().min(0),
  turn: z.int().min(0).max(1),
  policyVersion: PolicyVersion,
  promptHash: z.string(),
  promptSet: z.string(),
  corpusLine: z.int().min(1).nullable(),
  dependencies: Dependencies,
});

/** Which line of which pool an environment was imported from (M31). Iteration 0: before the first. */
export const ImportedProvenance = z.strictObject({
  experiment: ExperimentId,
  iteration: z.literal(0),
  /** File name and SHA-256 of the pool. */
  pool: z.string(),
  poolSha256: z.string(),
  line: z.int().min(1),
  /** Its name in the pool, and what else the pool said of it. */
  id: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.number()])),
  dependencies: Dependencies,
});

/** Where an environment came from. */
export const Provenance = z.union([DesignedProvenance, ImportedProvenance]);
export type Provenance = z.infer<typeof Provenance>;

/** An accepted environment as stored beside its source: a function of its inputs, so without times or statistics. */
export const EnvironmentCard = z.strictObject({
  hash: EnvironmentHash,
  title: z.string(),
  skill: z.string(),
  difficulty: Difficulty,
  syntaxHash: z.string(),
  shingles: z.array(z.int()),
  provenance: Provenance,
  verdict: verdictSchema,
});
export type EnvironmentCard = z.infer<typeof EnvironmentCard>;

/** What play measured (M14, M28); lives in the memory and in `scores.json`. */
export const EnvironmentStatistics = z.strictObject({
  environment: EnvironmentHash,
  meanReturn: z.strictObject({ hinted: z.number().nullable(), unhinted: z.number().nullable() }),
  winRate: z.strictObject({ hinted: z.number().nullable(), unhinted: z.number().nullable() }),
  /** Floored at 0; null when no seed has both arms played. */
  regret: z.number().min(0).max(2).nullable(),
  floored: z.boolean(),
  pairs: z.int().min(0),
  episodes: z.record(z.enum(['played', 'env_fault', 'infra_lost', 'unresolved']), z.int().min(0)),
  timedOut: z.boolean(),
  flags: z.array(z.string()),
});
export type EnvironmentStatistics = z.infer<typeof EnvironmentStatistics>;

/** Result of phase 3: which environments this window plays, and why each of the others was refused. */
export const Admission = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  /** First iteration of the generation window; the environments were designed there. */
  windowStart: IterationNumber,
  environments: z.array(
    z.strictObject({
      hash: EnvironmentHash,
      designIndex: z.int().min(0),
      turn: z.int().min(0).max(1),
      skill: z.string(),
      title: z.string(),
      difficulty: Difficulty,
    }),
  ),
  refused: z.array(z.strictObject({ designIndex: z.int().min(0), reason: z.string(), detail: z.string() })),
});
export type Admission = z.infer<typeof Admission>;
