import * as z from 'zod';
import { type FailInput, type FailOutput, iterationKeys } from '../../shared/contracts/index.ts';
import type { Events, Ledger, PolicyHost, Stores } from '../../shared/ports/index.ts';
import { readExperiment } from '../experiment.ts';
import { type Metering, recordTime } from '../metering.ts';
import { writeOnce } from '../objects.ts';

/** What the end of a failed iteration needs of the world. */
export interface FailDeps {
  readonly stores: Pick<Stores, 'episodes'>;
  readonly ledger: Pick<Ledger, 'recordIteration' | 'spend'>;
  readonly events: Pick<Events, 'iterationFailed'>;
  readonly policyHost: Pick<PolicyHost, 'release'>;
  readonly metering?: Metering;
}

/** Why an attempt failed; kept, so that a later attempt does not hide it. */
export const Failure = z.strictObject({
  experiment: z.string(),
  iteration: z.int(),
  attempt: z.int(),
  error: z.string(),
  cause: z.string(),
});

/** Longest cause that is kept, characters: a Lambda's cause holds its whole stack. */
const CAUSE_CHARACTERS = 4000;

/**
 * Any phase's failure: recorded, people told, and what bills by the hour released. Each of these is tried whatever happens to the
 * others; the first error is thrown at the end. The request can be made again with the next attempt number.
 */
export async function failIteration(input: FailInput, deps: FailDeps): Promise<FailOutput> {
  const { experiment, iteration, attempt, error } = input;
  const failure = iterationKeys(experiment, iteration).failure(attempt);
  const cause = (error.Cause ?? '').slice(0, CAUSE_CHARACTERS);
  const body = { experiment, iteration, attempt, error: error.Error, cause };
  const results = await Promise.allSettled([
    writeOnce(deps.stores.episodes, failure, Failure, body),
    deps.ledger.recordIteration(experiment, iteration, 'failed'),
    deps.events.iterationFailed({ experiment, iteration, error: error.Error, cause }),
    deps.policyHost.release(experiment),
    enterTime(input, deps),
  ]);
  const rejected = results.find((result) => result.status === 'rejected');
  if (rejected !== undefined) throw rejected.reason;
  return { failure };
}

/** A failed attempt was served too, and that time was billed. */
async function enterTime(input: FailInput, deps: FailDeps): Promise<void> {
  if (deps.metering === undefined) return;
  await recordTime(input, await readExperiment(deps.stores.episodes, input.experiment), deps);
}
