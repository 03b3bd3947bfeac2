import {
  Admission,
  type ExperimentConfig,
  type IterationInput,
  iterationKeys,
  PlanOutput,
  RolloutJob,
  type ShardsOutput,
} from '../../shared/contracts/index.ts';
import type { Ledger, Memory, Progress, Stores } from '../../shared/ports/index.ts';
import { planBenchmark } from '../evaluation.ts';
import { readExperiment } from '../experiment.ts';
import { findObject, readObject, writeOnce } from '../objects.ts';
import { recordUsage } from '../usage.ts';
import { admitDesigns } from './admit-designs.ts';
import { drawPool } from './draw-pool.ts';
import { designUsage, readJudgedDesigns } from './judged-designs.ts';
import { rolloutJobs } from './rollout-jobs.ts';
import { keptDesign, storeEnvironment } from './store-environment.ts';

/** What the admission needs of the world. */
export interface AdmitDeps {
  readonly stores: Pick<Stores, 'episodes' | 'environments' | 'corpora'>;
  readonly memory: Pick<Memory, 'candidates' | 'record' | 'index'>;
  readonly ledger: Pick<Ledger, 'spend'>;
  readonly progress: Progress;
  /** Versions of what decides about environments, for their provenance (M29). */
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * End of phase 3: which environments this iteration plays, one design after the other in the order of their numbers, so that what
 * is a duplicate does not depend on timing; or, where nothing is designed, imported ones. Then the shards of phase 4. While the generation window is open, its
 * environments are played again with this iteration's seeds.
 *
 * In the first iteration the imported policy's benchmark is played here too: before any training (M26), and while that version is served.
 */
export async function admitEnvironments(input: IterationInput, deps: AdmitDeps): Promise<ShardsOutput> {
  const { experiment, iteration } = input;
  const { episodes } = deps.stores;
  const keys = iterationKeys(experiment, iteration);
  const config = await readExperiment(episodes, experiment);
  const plan = await readObject(episodes, keys.plan, PlanOutput);
  const admission =
    (await findObject(episodes, keys.admission, Admission)) ??
    (await writeOnce(episodes, keys.admission, Admission, await decide(config, plan, input, deps)));
  report(admission, plan, deps.progress);

  const jobs = rolloutJobs(config, admission, plan.policyVersion);
  await Promise.all(jobs.map((job) => writeOnce(episodes, keys.rolloutJob(job.shard), RolloutJob, job)));
  const shards = jobs.map(({ shard }) => ({ shard, job: keys.rolloutJob(shard) }));
  const before = iteration === 1 && config.evaluation.every > 0;
  const task = { config, iteration, policyVersion: plan.policyVersion };
  return { shards: before ? [...shards, ...(await planBenchmark(task, deps.stores, shards.length))] : shards };
}

/** Everything that an admission names is stored before the admission itself. */
async function decide(
  config: ExperimentConfig,
  plan: PlanOutput,
  input: IterationInput,
  deps: AdmitDeps,
): Promise<Admission> {
  const { experiment, iteration } = input;
  const { episodes } = deps.stores;
  if (plan.windowStart !== iteration) {
    const window = await readObject(episodes, iterationKeys(experiment, plan.windowStart).admission, Admission);
    return { ...window, iteration, refused: [] };
  }
  if (config.designer.source === 'pool') {
    const environments = await drawPool(config, iteration, deps.stores.environments);
    return { experiment, iteration, windowStart: iteration, environments, refused: [] };
  }
  const designs = await readJudgedDesigns(experiment, iteration, plan, episodes);
  await recordUsage(deps.ledger, input, 'design', designUsage(designs));
  const { admitted, refused } = await admitDesigns(config, iteration, designs, deps);
  for (const environment of admitted)
    await storeEnvironment(config, keptDesign(config, environment, deps.versions), deps);
  return {
    experiment,
    iteration,
    windowStart: iteration,
    environments: admitted.map(({ hash, judged: { request, design, verdict } }) => ({
      hash,
      designIndex: design.index,
      turn: design.turn,
      skill: request.skill,
      title: verdict.title,
      difficulty: request.difficulty,
    })),
    refused,
  };
}

function report(
  { experiment, iteration, environments, refused }: Admission,
  plan: PlanOutput,
  progress: Progress,
): void {
  const duplicates = refused.filter(({ reason }) => reason === 'duplicate').length;
  const total = plan.designs.length;
  const numbers = { admitted: environments.length, duplicates, refused: refused.length - duplicates };
  progress.emit({ phase: 'design', experiment, iteration, done: total, total, numbers });
}
