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
import { type Breaker, createBreaker, isUnanswered } from './breaker.ts';
import { type EpisodeDeps, type EpisodeTask, playEpisode, type Table } from './episode.ts';
import { type Play, playsOf } from './plays.ts';
import { readPrograms } from './programs.ts';
import { createTally, type Tally } from './tally.ts';

/** What the rollout worker needs of the world. */
export interface RolloutDeps extends EpisodeDeps {
  readonly stores: Pick<Stores, 'environments' | 'episodes' | 'corpora'>;
  readonly progress: Progress;
  /** Names the policy server in the error that ends a job without one. */
  readonly policyUri: string;
}

/** How a job ended: everything is stored, or some objects were left out because it was told to stop. */
export type JobEnd = 'complete' | 'stopped';

/**
 * Plays a job: every episode of every environment, many at once, in the order of the list. An object is written when all of its episodes
 * have ended; objects that exist are not played again, so a job that was cut short goes on where it was. A lost episode is a record in its
 * object and cancels nobody. Objects with unanswered episodes are kept back until all the others are done: if the server turns out to be gone,
 * they are not stored, and played again when the job is resumed.
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
  const breaker = createBreaker(deps.policyUri, open.flatMap(({ tasks }) => tasks).length);
  const failed = new AbortController();
  const queue = new PQueue({ concurrency: config.limits.episodeConcurrency });
  const over = AbortSignal.any([abandon, failed.signal]);
  const room: Room = { table: tableOf(job, config), deps, tally, breaker, queue, stop, over };
  const ends = await Promise.all(
    open.map((play) =>
      playObject(play, room).catch((error): ObjectEnd => {
        failed.abort(error);
        return 'left-out';
      }),
    ),
  );
  tally.close();
  if (failed.signal.aborted) throw failed.signal.reason;
  if (ends.includes('left-out')) return 'stopped';
  for (const write of ends) if (typeof write === 'function') await write();
  return 'complete';
}

/** An object that was stored, one that was given up, or one that is kept back: the function stores it. */
type ObjectEnd = 'stored' | 'left-out' | (() => Promise<unknown>);

const NEVER = new AbortController().signal;

/** What the objects of a job share while it is played. */
interface Room {
  readonly table: Table;
  readonly deps: RolloutDeps;
  readonly tally: Tally;
  readonly breaker: Breaker;
  readonly queue: PQueue;
  readonly stop: AbortSignal;
  readonly over: AbortSignal;
}

/** Plays one object's episodes and stores it, unless some were not played or not answered. */
async function playObject({ key, tasks }: Play, room: Room): Promise<ObjectEnd> {
  // One episode that never began makes the object incomplete: the others need not end.
  const givenUp = new AbortController();
  const signal = AbortSignal.any([room.over, givenUp.signal]);
  const begin = async (task: EpisodeTask) => {
    if (room.stop.aborted) givenUp.abort();
    return signal.aborted ? null : playOrNull(task, room, signal);
  };
  const episodes = await Promise.all(tasks.map((task) => room.queue.add(() => begin(task))));
  if (!episodes.every((episode) => episode !== null)) return 'left-out';
  const write = () => room.deps.stores.episodes.putIfAbsent(key, gzipText(lines(episodes)));
  if (episodes.some(isUnanswered)) return write;
  await write();
  return 'stored';
}

/** The episode, or null when it was told to end before it had. */
async function playOrNull(task: EpisodeTask, room: Room, signal: AbortSignal): Promise<Episode | null> {
  try {
    const episode = await playEpisode(task, room.table, room.deps, signal);
    room.tally.add(episode);
    room.breaker.note(episode);
    return episode;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
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
    setting: config.setting,
    contextTokens: config.serving.contextTokens,
  };
}

function samplerOf(job: RolloutJob, { samplers, evaluation }: ExperimentConfig): SamplerSettings {
  return job.kind === 'rollout' ? samplers.agent : { ...samplers.agent, temperature: evaluation.temperature };
}
