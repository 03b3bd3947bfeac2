import { type PublishInput, policyKeys, TrainingSummary, trainingJobName } from '../../shared/contracts/index.ts';
import type { Stores } from '../../shared/ports/index.ts';
import { findObject } from '../objects.ts';

/** What this attempt's training job made. */
export interface Candidate {
  readonly jobName: string;
  readonly summary: TrainingSummary;
}

/** The candidate by its training summary, which the trainer writes when everything else is there; null when nothing was trained. */
export async function findCandidate(
  { experiment, iteration, attempt }: PublishInput,
  stores: Pick<Stores, 'policies'>,
): Promise<Candidate | null> {
  const jobName = trainingJobName(experiment, iteration, attempt);
  const summary = await findObject(stores.policies, policyKeys(experiment).trainingSummary(jobName), TrainingSummary);
  return summary === null ? null : { jobName, summary };
}
