import {
  Admission,
  type ExperimentConfig,
  type IterationInput,
  iterationKeys,
  PlanOutput,
} from '../../shared/contracts/index.ts';
import type { Ledger, Memory, Progress, Stores } from '../../shared/ports/index.ts';
import { readExperiment } from '../experiment.ts';
import { type Metering, startMeter } from '../metering.ts';
import { findObject, writeOnce } from '../objects.ts';
import { overBudget } from '../usage.ts';
import { designRequests } from './design-requests.ts';
import { writeRequests } from './write-requests.ts';

/** What phase 1 needs of the world. */
export interface PlanDeps {
  readonly stores: Pick<Stores, 'episodes' | 'environments' | 'corpora'>;
  readonly ledger: Pick<Ledger, 'totalUsd' | 'stopRequested' | 'currentPolicy' | 'recordIteration'>;
  readonly memory: Pick<Memory, 'topByRegret' | 'recentTitles'>;
  readonly progress: Progress;
  readonly metering?: Metering;
}

/**
 * Phase 1: decides whether the iteration happens, which policy plays it, and what the designer is asked for.
 *
 * The plan is stored last and wins on a replay, so an iteration that was begun is finished under the plan it was begun with. A
 * decision to stop is not stored: raising `iterations` or the budget and asking again goes on.
 */
export async function planIteration(input: IterationInput, deps: PlanDeps): Promise<PlanOutput> {
  const { experiment, iteration } = input;
  const keys = iterationKeys(experiment, iteration);
  const config = await readExperiment(deps.stores.episodes, experiment);
  const begun = await findObject(deps.stores.episodes, keys.plan, PlanOutput);
  if (begun !== null) {
    await startMeter(input, config, deps.stores.episodes, deps.metering);
    return begun;
  }
  const policyVersion = await deps.ledger.currentPolicy(experiment);
  const windowStart = await startOfWindow(config, iteration, deps);
  const plan: PlanOutput = {
    policyVersion,
    nextPolicyVersion: iteration,
    windowStart,
    designs: [],
    maxConcurrentDesigns: config.limits.maxConcurrentDesigns,
    maxConcurrentRollouts: config.limits.maxConcurrentRollouts,
    stop: await reasonToStop(config, iteration, deps.ledger),
  };
  if (plan.stop !== null) return plan;

  await startMeter(input, config, deps.stores.episodes, deps.metering);
  await deps.ledger.recordIteration(experiment, iteration, 'running');
  const designs = windowStart === iteration && config.designer.source === 'policy';
  const requests = designs ? await designRequests(config, iteration, policyVersion, deps) : [];
  await writeRequests(requests, deps.stores.episodes);
  deps.progress.emit({ phase: 'plan', experiment, iteration, numbers: { designs: requests.length, policyVersion } });
  const planned = { ...plan, designs: requests.map(({ index }) => ({ index })) };
  return writeOnce(deps.stores.episodes, keys.plan, PlanOutput, planned);
}

/** Why the iteration must not begin; null when it may. */
async function reasonToStop(
  config: ExperimentConfig,
  iteration: number,
  ledger: PlanDeps['ledger'],
): Promise<PlanOutput['stop']> {
  if (iteration > config.iterations) return 'finished';
  if (await ledger.stopRequested(config.experiment)) return 'requested';
  return overBudget(await ledger.totalUsd(config.experiment), config.budget.maxUsd) ? 'budget' : null;
}

/**
 * First iteration of the generation window that `iteration` belongs to (M12). The window of the iteration before is still open when
 * it is shorter than R and has environments: a window without any would leave nothing to play, so a new one begins.
 */
async function startOfWindow(config: ExperimentConfig, iteration: number, deps: PlanDeps): Promise<number> {
  if (iteration === 1) return iteration;
  const { admission: key } = iterationKeys(config.experiment, iteration - 1);
  const before = await findObject(deps.stores.episodes, key, Admission);
  if (before === null || before.environments.length === 0) return iteration;
  return iteration - before.windowStart < config.windowLength ? before.windowStart : iteration;
}
