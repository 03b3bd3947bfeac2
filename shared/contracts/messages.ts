import * as z from 'zod';
import { ExperimentId, IterationNumber, PolicyVersion } from './primitives.ts';

/** What starts an iteration: a message on the FIFO queue. The execution name is `requestId`, so a duplicate starts nothing. */
export const IterationRequest = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  /** Rises when a failed iteration is requested again; part of the training job's name, which AWS never lets be reused. */
  attempt: z.int().min(1).max(99),
});
export type IterationRequest = z.infer<typeof IterationRequest>;

/** Execution name and deduplication id of a request. */
export function requestId(request: IterationRequest): string {
  return `${request.experiment}-i${pad(request.iteration)}-a${request.attempt}`;
}

/** Event at the end of an iteration; `next` is the request of the following one, or null when the run stops. */
export const IterationCompleted = z.strictObject({
  experiment: ExperimentId,
  iteration: IterationNumber,
  policyVersion: PolicyVersion,
  stopReason: z.enum(['finished', 'budget', 'requested']).nullable(),
  next: IterationRequest.nullable(),
});
export type IterationCompleted = z.infer<typeof IterationCompleted>;

export const EVENT_SOURCE = 'spade';
export const EVENT_ITERATION_COMPLETED = 'IterationCompleted';
export const EVENT_ITERATION_FAILED = 'IterationFailed';

function pad(n: number): string {
  return String(n).padStart(4, '0');
}
