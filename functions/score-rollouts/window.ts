import type { EnvironmentStatistics, ExperimentConfig } from '../../shared/contracts/index.ts';
import { environmentStatistics, type ScoredEpisode } from '../../shared/domain/statistics.ts';
import type { Store } from '../../shared/ports/index.ts';
import { plannedPlays, readPlay } from './play.ts';

/** What a generation window measured of one environment so far. */
export interface WindowStatistics {
  /** The window's first iteration: both arms were played by the policy that the environment was designed for (matched timing). */
  readonly first: EnvironmentStatistics;
  /** All iterations of the window up to this one. */
  readonly whole: EnvironmentStatistics;
}

/**
 * Statistics over the window (M12): earlier iterations are read again, this one's episodes are handed in.
 * @param current this iteration's completed episodes by environment
 */
export async function windowStatistics(
  config: ExperimentConfig,
  windowStart: number,
  iteration: number,
  current: ReadonlyMap<string, readonly ScoredEpisode[]>,
  episodes: Store,
): Promise<Map<string, WindowStatistics>> {
  const earlier: ScoredEpisodes[] = [];
  for (let before = windowStart; before < iteration; before++) {
    earlier.push(await readIteration(config.experiment, before, episodes));
  }
  const iterations: ScoredEpisodes[] = [...earlier, current];
  const measure = (environment: string, parts: readonly ScoredEpisodes[]) =>
    environmentStatistics(
      environment,
      parts.flatMap((part) => part.get(environment) ?? []),
      config.agent.winThreshold,
    );
  return new Map(
    [...current.keys()].map((environment) => [
      environment,
      { first: measure(environment, iterations.slice(0, 1)), whole: measure(environment, iterations) },
    ]),
  );
}

type ScoredEpisodes = ReadonlyMap<string, readonly ScoredEpisode[]>;

async function readIteration(experiment: string, iteration: number, episodes: Store): Promise<ScoredEpisodes> {
  const scored = new Map<string, readonly ScoredEpisode[]>();
  for (const planned of await plannedPlays(experiment, iteration, episodes)) {
    const { complete } = await readPlay(experiment, iteration, planned, episodes);
    scored.set(planned.id, complete);
  }
  return scored;
}
