import {
  type ExperimentConfig,
  iterationKeys,
  PlanOutput,
  type PublishInput,
  type ShardsOutput,
} from '../../shared/contracts/index.ts';
import type { Progress, Stores } from '../../shared/ports/index.ts';
import { planBenchmark } from '../evaluation.ts';
import { readExperiment } from '../experiment.ts';
import { readObject } from '../objects.ts';

/** What phase 7 needs of the world. */
export interface EvaluateDeps {
  readonly stores: Pick<Stores, 'episodes' | 'corpora'>;
  readonly progress: Progress;
}

/**
 * Phase 7: which shards play the fixed benchmark with the candidate. None when nothing was trained (the current version keeps its score),
 * or no evaluation is due. The imported version was scored in phase 4 of the first iteration, before any training.
 */
export async function planEvaluation(input: PublishInput, deps: EvaluateDeps): Promise<ShardsOutput> {
  const { experiment, iteration, trained } = input;
  const config = await readExperiment(deps.stores.episodes, experiment);
  if (!trained || !isDue(config, iteration)) return { shards: [] };
  const plan = await readObject(deps.stores.episodes, iterationKeys(experiment, iteration).plan, PlanOutput);
  const task = { config, iteration, policyVersion: plan.nextPolicyVersion };
  const shards = await planBenchmark(task, deps.stores);
  deps.progress.emit({ phase: 'evaluate', experiment, iteration, done: 0, total: shards.length });
  return { shards };
}

/** In the first and the last iteration, and every `evaluation.every` in between (M26). */
function isDue({ evaluation, iterations }: ExperimentConfig, iteration: number): boolean {
  if (evaluation.every === 0) return false;
  return iteration === 1 || iteration === iterations || iteration % evaluation.every === 0;
}
