import {
  type CloseInput,
  type CloseOutput,
  type ExperimentConfig,
  IterationRecord,
  iterationKeys,
} from '../../shared/contracts/index.ts';
import type { Events, Ledger, PolicyHost, Progress, Stores } from '../../shared/ports/index.ts';
import { readExperiment } from '../experiment.ts';
import { type Metering, recordTime } from '../metering.ts';
import { findObject, writeOnce } from '../objects.ts';
import { overBudget } from '../usage.ts';
import { iterationRecord } from './iteration-record.ts';

/** What phase 9 needs of the world. */
export interface CloseDeps {
  readonly stores: Pick<Stores, 'episodes' | 'policies'>;
  readonly ledger: Pick<Ledger, 'totalUsd' | 'stopRequested' | 'recordIteration' | 'currentPolicy' | 'spend'>;
  readonly events: Pick<Events, 'iterationCompleted'>;
  readonly policyHost: Pick<PolicyHost, 'release'>;
  readonly progress: Progress;
  readonly metering?: Metering;
}

/**
 * Phase 9: the iteration's record, then the event that asks for the next iteration or says why the run stops. An iteration whose plan
 * was to stop was never begun and has no record. What bills by the hour is released when the run stops.
 */
export async function closeIteration(input: CloseInput, deps: CloseDeps): Promise<CloseOutput> {
  const { experiment, iteration } = input;
  const config = await readExperiment(deps.stores.episodes, experiment);
  if (input.stop === null) {
    await record(input, config, deps);
    await recordTime(input, config, deps);
    await deps.ledger.recordIteration(experiment, iteration, 'completed');
  }
  const stopReason = input.stop ?? (await reasonToStop(config, iteration, deps.ledger));
  const next = stopReason === null ? { experiment, iteration: iteration + 1, attempt: 1 } : null;
  const policyVersion = await deps.ledger.currentPolicy(experiment);
  if (next === null) await deps.policyHost.release(experiment);
  await deps.events.iterationCompleted({ experiment, iteration, policyVersion, stopReason, next });
  deps.progress.emit({ phase: 'close', experiment, iteration, done: 1, total: 1 });
  return { next, stopReason };
}

async function record(input: CloseInput, config: ExperimentConfig, { stores }: CloseDeps): Promise<void> {
  const key = iterationKeys(input.experiment, input.iteration).record;
  const known = await findObject(stores.episodes, key, IterationRecord);
  if (known === null)
    await writeOnce(stores.episodes, key, IterationRecord, await iterationRecord(input, config, stores));
}

async function reasonToStop(
  config: ExperimentConfig,
  iteration: number,
  ledger: CloseDeps['ledger'],
): Promise<CloseOutput['stopReason']> {
  if (iteration >= config.iterations) return 'finished';
  if (await ledger.stopRequested(config.experiment)) return 'requested';
  return overBudget(await ledger.totalUsd(config.experiment), config.budget.maxUsd) ? 'budget' : null;
}
