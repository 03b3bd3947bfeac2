import {
  type BenchmarkScore,
  type ExperimentConfig,
  iterationKeys,
  PlanOutput,
  PolicyManifest,
  Publication,
  policyKeys,
} from '../../shared/contracts/index.ts';
import type { Stores } from '../../shared/ports/index.ts';
import { findObject, readObject } from '../objects.ts';

/**
 * Latest benchmark score of the version that is played now, or of its nearest ancestor that was scored: not every version is
 * evaluated (M26). Null when no ancestor was.
 * @param measured scores of this iteration
 */
export async function referenceScore(
  config: ExperimentConfig,
  iteration: number,
  measured: readonly BenchmarkScore[],
  stores: Pick<Stores, 'episodes' | 'policies'>,
): Promise<number | null> {
  const { experiment } = config;
  const plan = await readObject(stores.episodes, iterationKeys(experiment, iteration).plan, PlanOutput);
  let version: number | null = plan.policyVersion;
  while (version !== null) {
    const scores = [...measured, ...(await scoresOf(experiment, version, stores))];
    const known = scores.find((score) => score.policyVersion === version);
    if (known !== undefined) return known.score;
    const key = policyKeys(experiment).manifest(version);
    version = (await findObject(stores.policies, key, PolicyManifest))?.parent ?? null;
  }
  return null;
}

/** A version is scored in the iteration that made it; version n is made by iteration n, version 0 scored in the first. */
async function scoresOf(
  experiment: string,
  version: number,
  stores: Pick<Stores, 'episodes'>,
): Promise<BenchmarkScore[]> {
  const key = iterationKeys(experiment, Math.max(1, version)).publication;
  return (await findObject(stores.episodes, key, Publication))?.benchmark ?? [];
}
