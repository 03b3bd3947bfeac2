import PQueue from 'p-queue';
import {
  type Episode,
  type ExperimentConfig,
  policyModelName,
  type RolloutJob,
  type SamplerSettings,
} from '../../shared/contracts/index.ts';
import { promptSet } from '../../shared/domain/prompt-sets.ts';
import type { Progress, Stores } from '../../shared/ports/index.ts';
import { gzipText } from '../objects.ts';
import type { Breaker } from './breaker.ts';
import { type EpisodeDeps, playEpisode, type Table } from './episode.ts';
import { type Play, playsOf } from './plays.ts';
import { readPrograms } from './programs.ts';
import { createTally, type Tally } from './tally.ts';

/** What the rollout worker needs of the world. */
export interface RolloutDeps extends EpisodeDeps {
  readonly stores: Pick<Stores, 'environments' | 'episodes' | 'corpora'>;
  readonly progress: Progress;
  readonly breaker: Breaker;
}

/** How a job ended: everything is stored, or some objects were left out because it was told to stop. */
export type JobEnd = 'complete' | 'stopped';

/**
 * Plays a job: every episode of every environment, many at once, in the order of the list. An object is written when all of its episodes
 * have ended; objects that exist are not played again, so a job that was cut short goes on where it was. A lost episode is a record in its
 * object and cancels nobody.
 *
 * @param stop - when it aborts, no new episode begins; objects whose episodes all run already are finished
 * @param abandon - when it aborts, running episodes end too
 * @throws {PolicyUnavailable} when the policy server as a whole is gone; what is complete is stored
 */
export async function playJob(
  job: RolloutJob,
  config: ExperimentConfig,
  deps: RolloutDeps,
  stop: AbortSignal = NEVER,
  abandon: AbortSignal = NEVER,
): Promise<JobEnd> {
  const plays = playsOf(job, config.seed, await readPrograms(job, config, deps.stores));
  const tally = createTally(job, plays.flatMap(({ tasks }) => tasks).length, deps.progress);
  const open = await missing(plays, deps, tally);
  const failed = new AbortController();
  const queue = new PQueue({ concurrency: config.limits.episodeConcurrency });
  const room: Room = {
    table: tableOf(job, config),
    deps,
    tally,
    queue,
    stop,
    over: AbortSignal.any([abandon, failed.signal]),
  };
  const ends = await Promise.all(open.map((play) => playObject(play, room).catch((error) => failed.abort(error))));
  tally.close();
  if (failed.signal.aborted) throw failed.signal.reason;
  return ends.every((written) => written === true) ? 'complete' : 'stopped';
}

const NEVER = new AbortController().signal;

/** What the objects of a job share while it is played. */
interface Room {
  readonly table: Table;
  readonly deps: RolloutDeps;
  readonly tally: Tally;
  readonly queue: PQueue;
  readonly stop: AbortSignal;
  readonly over: AbortSignal;
}

/** Plays one object's episodes and writes it; false when it was given up. */
async function playObject({ key, tasks }: Play, { table, deps, tally, queue, stop, over }: Room): Promise<boolean> {
  // One episode that never began makes the object incomplete: the others need not end.
  const givenUp = new AbortController();
  const signal = AbortSignal.any([over, givenUp.signal]);
  const episodes = await Promise.all(
    tasks.map((task) =>
      queue.add(async () => {
        if (stop.aborted) givenUp.abort();
        if (signal.aborted) return null;
        const episode = await playEpisode(task, table, deps, signal).catch((error) => {
          if (signal.aborted) return null;
          throw error;
        });
        if (episode === null) return null;
        tally.add(episode);
        deps.breaker.note(episode);
        return episode;
      }),
    ),
  );
  if (!episodes.every((episode) => episode !== null)) return false;
  await deps.stores.episodes.putIfAbsent(key, gzipText(lines(episodes)));
  return true;
}

/** One episode a line. The order of keys is the order in which `episode.ts` writes them, so equal episodes are equal bytes. */
function lines(episodes: readonly Episode[]): string {
  return episodes.map((episode) => `${JSON.stringify(episode)}\n`).join('');
}

async function missing(plays: readonly Play[], { stores }: RolloutDeps, tally: Tally): Promise<Play[]> {
  const stored = await Promise.all(plays.map(({ key }) => stores.episodes.exists(key)));
  return plays.filter(({ tasks }, position) => {
    if (!stored[position]) return true;
    tally.skip(tasks.length);
    return false;
  });
}

function tableOf(job: RolloutJob, config: ExperimentConfig): Table {
  const { experiment, iteration, policyVersion } = job;
  return {
    ...{ experiment, iteration, policyVersion },
    model: policyModelName(experiment, policyVersion),
    prompts: promptSet(config),
    sampler: samplerOf(job, config),
    agent: config.agent,
    contextTokens: config.serving.contextTokens,
  };
}

function samplerOf(job: RolloutJob, { samplers, evaluation }: ExperimentConfig): SamplerSettings {
  return job.kind === 'rollout' ? samplers.agent : { ...samplers.agent, temperature: evaluation.temperature };
}
