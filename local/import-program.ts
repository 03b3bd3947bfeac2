import { rememberedNeighbours } from '../functions/admit-environments/admit-designs.ts';
import { storeEnvironment } from '../functions/admit-environments/store-environment.ts';
import {
  DIFFICULTY_DIMENSIONS,
  type Difficulty,
  type ExperimentConfig,
  environmentKeys,
  type Verdict,
} from '../shared/contracts/index.ts';
import { environmentHash } from '../shared/domain/canonical-json.ts';
import { judgeDuplicate } from '../shared/domain/near-duplicates.ts';
import { type PoolProgram, settingOf } from '../shared/domain/pools.ts';
import type { Memory, Stores } from '../shared/ports/index.ts';

/** A pool as it is named in the provenance of what came from it. */
export interface Pool {
  readonly name: string;
  readonly sha256: string;
}

/** What an import needs of the world. */
export interface ImportDeps {
  readonly stores: Pick<Stores, 'environments'>;
  readonly memory: Pick<Memory, 'record' | 'index' | 'candidates'>;
  /** Versions of what decides about environments (M29). */
  readonly versions: Readonly<Record<string, string>>;
}

/** Why a program does not go in, or null. */
export type Refusal = { readonly reason: string; readonly detail: string } | null;

/** Imported environments look at all that was ever admitted, so their bound lies behind the last iteration. */
const ANY_ITERATION = 9999;

/** Whether an environment is in the experiment already, from a pool or from a designer. */
export function isKnown(config: ExperimentConfig, program: PoolProgram, { stores }: ImportDeps): Promise<boolean> {
  return stores.environments.exists(environmentKeys(config.experiment, environmentHash(program.source)).card);
}

/** What can be said against a program before it is run. */
export function refusalBefore(config: ExperimentConfig, program: PoolProgram): Refusal {
  const setting = settingOf(program.source);
  if (setting !== config.setting)
    return { reason: 'setting', detail: `it is written for ${setting}, the experiment plays ${config.setting}` };
  if (program.skill === '') return { reason: 'skill', detail: 'the pool names no skill for it; --skill names one' };
  return null;
}

/**
 * Takes an accepted program into the store and the memory, as of before the first iteration, unless it is a near-duplicate (M15). Call it
 * for one program after the other: what is a duplicate depends on what is there. Repeating it changes nothing.
 * @returns why it was not taken, or null
 */
export async function importProgram(
  config: ExperimentConfig,
  pool: Pool,
  { line, program, verdict }: { readonly line: number; readonly program: PoolProgram; readonly verdict: Verdict },
  deps: ImportDeps,
): Promise<Refusal> {
  const twin = judgeDuplicate(
    verdict,
    await rememberedNeighbours(config, ANY_ITERATION, verdict, deps),
    config.duplicates,
  );
  if (twin.duplicate) return { reason: 'duplicate', detail: `${twin.kind}, similarity ${twin.similarity.toFixed(2)}` };
  const { experiment } = config;
  const card = {
    hash: environmentHash(program.source),
    title: verdict.title,
    skill: program.skill,
    difficulty: difficultyOf(config, program),
    syntaxHash: verdict.syntaxHash,
    shingles: verdict.shingles,
    provenance: {
      ...{ experiment, iteration: 0 as const, pool: pool.name, poolSha256: pool.sha256, line },
      ...{ id: program.id, metadata: { ...program.metadata }, dependencies: { ...deps.versions } },
    },
    verdict,
  };
  await storeEnvironment(config, { card, source: program.source, hint: program.hint }, deps);
  return null;
}

/** A pool that says a level says it for all dimensions; otherwise the level at which the controller starts. */
function difficultyOf({ controller }: ExperimentConfig, { metadata }: PoolProgram): Difficulty {
  const level = typeof metadata.level === 'number' ? Math.min(6, Math.max(1, metadata.level)) : controller.start;
  return Object.fromEntries(DIFFICULTY_DIMENSIONS.map((dimension) => [dimension, level])) as Difficulty;
}
