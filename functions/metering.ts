import * as z from 'zod';
import { type ExperimentConfig, type IterationInput, iterationKeys, policyKeys } from '../shared/contracts/index.ts';
import { priceUsage } from '../shared/domain/cost/index.ts';
import type { Ledger, Store, Stores } from '../shared/ports/index.ts';
import { findObject, writeOnce } from './objects.ts';
import { tasksUsage } from './task-time.ts';
import { recordUsage } from './usage.ts';

/** The clock of a host where time costs money; a laptop has none, and its runs cost nothing. */
export interface Metering {
  readonly now: () => Date;
}

const Start = z.strictObject({ startedAt: z.iso.datetime() });

/** Of the trainer's `timings.json`: seconds by part of the job. */
const TrainerTimings = z.looseObject({ phases: z.record(z.string(), z.number().min(0)) });

/**
 * Notes when an attempt began. Also prices one second of everything that the experiment will use, so that an instance without a price
 * stops it before money is spent.
 * @throws {InvalidInput} for an instance type that the price table does not know
 */
export async function startMeter(
  input: IterationInput,
  config: ExperimentConfig,
  episodes: Store,
  metering: Metering | undefined,
): Promise<void> {
  if (metering === undefined) return;
  priceUsage({ [endpointUnit(config)]: 1, [trainingUnit(config)]: 1 });
  await writeOnce(episodes, meterKey(input), Start, { startedAt: metering.now().toISOString() });
}

/**
 * Enters what an attempt used by the second: the endpoint from the attempt's beginning to its end, since it bills while it waits as well, and
 * the rollout tasks.
 */
export async function recordTime(
  input: IterationInput,
  config: ExperimentConfig,
  deps: {
    readonly stores: Pick<Stores, 'episodes'>;
    readonly ledger: Pick<Ledger, 'spend'>;
    readonly metering?: Metering;
  },
): Promise<void> {
  if (deps.metering === undefined) return;
  const start = await findObject(deps.stores.episodes, meterKey(input), Start);
  if (start === null) return;
  const milliseconds = deps.metering.now().getTime() - Date.parse(start.startedAt);
  await recordUsage(deps.ledger, input, 'serve', { [endpointUnit(config)]: Math.max(0, milliseconds / 1000) });
  await recordUsage(deps.ledger, input, 'tasks', await tasksUsage(input, start.startedAt, deps.stores.episodes));
}

/** What a training job cost: its own time on all of its instances. Starting an instance is billed on top and is not in it. */
export async function trainingTime(
  jobName: string,
  config: ExperimentConfig,
  policies: Store,
  metering: Metering | undefined,
): Promise<Record<string, number>> {
  if (metering === undefined) return {};
  const key = policyKeys(config.experiment).trainingTimings(jobName);
  const timings = await findObject(policies, key, TrainerTimings);
  if (timings === null) return {};
  const seconds = Object.values(timings.phases).reduce((total, part) => total + part, 0);
  return { [trainingUnit(config)]: seconds * config.training.instanceCount };
}

function meterKey({ experiment, iteration, attempt }: IterationInput): string {
  return iterationKeys(experiment, iteration).timings(`started-${attempt}`);
}

function endpointUnit({ serving }: ExperimentConfig): string {
  return `endpointSeconds:${serving.instanceType}`;
}

function trainingUnit({ training }: ExperimentConfig): string {
  return `${training.spot ? 'spotTrainingSeconds' : 'trainingSeconds'}:${training.instanceType}`;
}
