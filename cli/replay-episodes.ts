import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Episode, environmentKeys, InvalidInput, iterationKeys } from '../shared/contracts/index.ts';
import type { Sandbox } from '../shared/sandbox/index.ts';
import { type Replay, replayEpisode } from '../shared/validation/index.ts';
import type { Experiment } from './experiment-data.ts';

/** Which recorded episodes are meant; what is left out means all. */
export interface EpisodeChoice {
  readonly iteration?: number;
  readonly arm?: Episode['arm'];
  readonly index?: number;
}

/** A recorded episode and what playing it again showed. */
export interface Replayed {
  readonly episode: Episode;
  readonly replay: Replay;
}

/**
 * Plays the recorded episodes of an environment again, one after the other.
 * @throws {InvalidInput} when none is recorded
 */
export async function* replayEpisodes(
  experiment: Experiment,
  hash: string,
  choice: EpisodeChoice,
  sandbox: Sandbox,
): AsyncGenerator<Replayed> {
  const { config, home } = experiment;
  const source = readFileSync(join(home.stores.environments, environmentKeys(config.experiment, hash).source), 'utf8');
  const episodes = recordedEpisodes(experiment, hash, choice);
  if (episodes.length === 0) throw new InvalidInput(hash, ['no such episode of it is recorded']);
  for (const episode of episodes) yield { episode, replay: await replayEpisode(episode, source, config, sandbox) };
}

/** Recorded episodes of an environment, in the order in which they were played. */
export function recordedEpisodes({ config, home }: Experiment, hash: string, choice: EpisodeChoice): Episode[] {
  const iterations = Array.from({ length: config.iterations }, (_, index) => index + 1);
  return iterations
    .filter((iteration) => choice.iteration === undefined || choice.iteration === iteration)
    .map((iteration) => join(home.stores.episodes, iterationKeys(config.experiment, iteration).episodes(hash)))
    .filter(existsSync)
    .flatMap(readEpisodes)
    .filter(({ arm, index }) => (choice.arm ?? arm) === arm && (choice.index ?? index) === index);
}

function readEpisodes(path: string): Episode[] {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const parsed = Episode.safeParse(JSON.parse(line));
      if (parsed.success) return parsed.data;
      throw new InvalidInput(
        path,
        parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
      );
    });
}
