import { InvalidInput, Probe, policyKeys, policyModelName } from '../../shared/contracts/index.ts';
import type { Policy, Stores } from '../../shared/ports/index.ts';
import { findObject } from '../objects.ts';

/**
 * Largest difference between the trainer's log-probs and the server's for the same weights on fixed sequences, in natural logs (M24). It
 * finds a damaged tensor, a server that loaded something else, and a chat of two precisions. Null when the trainer left no probe.
 */
export async function probeGap(
  experiment: string,
  version: number,
  jobName: string,
  deps: { readonly stores: Pick<Stores, 'policies'>; readonly policy: Pick<Policy, 'score'> },
): Promise<number | null> {
  const probe = await findObject(deps.stores.policies, policyKeys(experiment).probe(jobName), Probe);
  if (probe === null || probe.sequences.length === 0) return null;
  const model = policyModelName(experiment, version);
  const gaps = await Promise.all(
    probe.sequences.map(async ({ tokenIds, logprobs }) =>
      sequenceGap(logprobs, await deps.policy.score(model, tokenIds)),
    ),
  );
  return Math.max(...gaps);
}

/** A token that either side has no log-prob for is left out; a number that is not finite is an infinite gap. */
function sequenceGap(trained: readonly (number | null)[], served: readonly (number | null)[]): number {
  if (trained.length !== served.length) {
    throw new InvalidInput('probe', [`the server scored ${served.length} tokens of ${trained.length}`]);
  }
  const gaps = trained.map((value, position) => {
    const other = served[position] ?? null;
    if (value === null || other === null) return 0;
    const gap = Math.abs(value - other);
    return Number.isNaN(gap) ? Number.POSITIVE_INFINITY : gap;
  });
  return Math.max(0, ...gaps);
}
