import {
  Admission,
  type CloseInput,
  type ExperimentConfig,
  type IterationRecord,
  iterationKeys,
  PlanOutput,
  Publication,
  Scores,
} from '../../shared/contracts/index.ts';
import type { Stores } from '../../shared/ports/index.ts';
import { readObject } from '../objects.ts';
import { findCandidate } from '../publish-policy/candidate.ts';
import { countDesigns } from './count-designs.ts';

/**
 * The numbers of M28 for one iteration, put together from what its phases stored: a function of configuration and seed. So the stop reason
 * is told only when the configuration gives it; a budget or a request to stop is told by the event and the ledger.
 */
export async function iterationRecord(
  input: CloseInput,
  config: ExperimentConfig,
  stores: Pick<Stores, 'episodes' | 'policies'>,
): Promise<IterationRecord> {
  const { experiment, iteration } = input;
  const keys = iterationKeys(experiment, iteration);
  const [plan, admission, scores, publication, candidate] = await Promise.all([
    readObject(stores.episodes, keys.plan, PlanOutput),
    readObject(stores.episodes, keys.admission, Admission),
    readObject(stores.episodes, keys.scores, Scores),
    readObject(stores.episodes, keys.publication, Publication),
    findCandidate({ ...input, trained: true }, stores),
  ]);
  const { environments: _environments, designers: _designers, experiment: _e, iteration: _i, ...summary } = scores;
  return {
    experiment,
    iteration,
    windowStart: plan.windowStart,
    policyVersion: plan.policyVersion,
    nextPolicyVersion: publication.current,
    promoted: publication.promoted,
    publication: publication.reason,
    designs: await countDesigns(experiment, iteration, plan, admission, stores.episodes),
    scores: summary,
    benchmark: publication.benchmark,
    training: candidate?.summary ?? null,
    stopReason: iteration >= config.iterations ? 'finished' : null,
  };
}
