import {
  type Admission,
  Design,
  type IterationRecord,
  iterationKeys,
  type PlanOutput,
} from '../../shared/contracts/index.ts';
import type { Store } from '../../shared/ports/index.ts';
import { LOST } from '../admit-environments/admit-designs.ts';
import { findObject } from '../objects.ts';

/**
 * What became of the designs of one iteration (M28). `validFraction` is what validation accepted, before duplicates are refused, of the
 * designs that were judged; null while a window is open. `parse` counts by which rule the first answer's program was found.
 */
export async function countDesigns(
  experiment: string,
  iteration: number,
  plan: PlanOutput,
  admission: Admission,
  episodes: Store,
): Promise<IterationRecord['designs']> {
  const keys = iterationKeys(experiment, iteration);
  const first = await Promise.all(plan.designs.map(({ index }) => findObject(episodes, keys.design(index, 0), Design)));
  const rejectedBy = tally(admission.refused.map(({ reason }) => reason));
  const requested = plan.designs.length;
  const own = requested === 0 ? [] : admission.environments;
  const judged = requested - (rejectedBy[LOST] ?? 0);
  const duplicates = rejectedBy.duplicate ?? 0;
  return {
    requested,
    accepted: own.length,
    repaired: own.filter(({ turn }) => turn > 0).length,
    duplicates,
    rejectedBy,
    parse: tally(first.flatMap((design) => design?.parse ?? [])),
    validFraction: judged === 0 ? null : (own.length + duplicates) / judged,
  };
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
