import { type Arm, type Episode, iterationKeys, RolloutJob } from '../../shared/contracts/index.ts';
import { type ScoredEpisode, scoredEpisode } from '../../shared/domain/statistics.ts';
import type { Store } from '../../shared/ports/index.ts';
import { findEpisodes, findObject } from '../objects.ts';

/** One environment's planned seeds in one iteration. */
export type PlannedPlay = RolloutJob['environments'][number];

/** An environment's episodes as they were stored, and completed by those that the host lost. */
export interface Play {
  readonly stored: readonly Episode[];
  /** Exactly one for each planned (arm, index). */
  readonly complete: readonly ScoredEpisode[];
}

const ARMS: readonly Arm[] = ['hinted', 'unhinted'];

/** What phase 4 was asked to play in an iteration, in the order of the shards. */
export async function plannedPlays(experiment: string, iteration: number, episodes: Store): Promise<PlannedPlay[]> {
  const keys = iterationKeys(experiment, iteration);
  const plays: PlannedPlay[] = [];
  for (let shard = 0; ; shard++) {
    const job = await findObject(episodes, keys.rolloutJob(shard), RolloutJob);
    if (job === null) return plays;
    plays.push(...job.environments);
  }
}

/**
 * Reads one environment's episodes. The stored object decides: without one, every planned episode is `infra_lost` (cases T10, T12), which
 * is no loss, no win and nobody's fault.
 */
export async function readPlay(
  experiment: string,
  iteration: number,
  planned: PlannedPlay,
  episodes: Store,
): Promise<Play> {
  const key = iterationKeys(experiment, iteration).episodes(planned.id);
  const stored = onceEach((await findEpisodes(episodes, key)) ?? [], planned);
  const known = new Map(stored.map((episode) => [`${episode.arm}/${episode.index}`, scoredEpisode(episode)]));
  const complete = planned.seeds.flatMap((seed, index) =>
    ARMS.map((arm) => known.get(`${arm}/${index}`) ?? lost(iteration, arm, index, seed)),
  );
  return { stored, complete };
}

/** Episodes that were planned, each once: a result that was delivered twice counts once (cases T12). */
function onceEach(episodes: readonly Episode[], planned: PlannedPlay): Episode[] {
  const seen = new Set<string>();
  return episodes.filter((episode) => {
    const name = `${episode.arm}/${episode.index}`;
    if (seen.has(name) || planned.seeds[episode.index] !== episode.seed) return false;
    seen.add(name);
    return true;
  });
}

function lost(iteration: number, arm: Arm, index: number, seed: number): ScoredEpisode {
  const reason = 'infra.killed';
  return { iteration, index, seed, arm, outcome: 'infra_lost', reason, return: null, terminated: false };
}
