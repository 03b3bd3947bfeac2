import { type Arm, iterationKeys, type RolloutJob } from '../../shared/contracts/index.ts';
import { deriveSeed } from '../../shared/domain/seeds.ts';
import type { EpisodeTask } from './episode.ts';

/** Episodes that go into one object, in the order in which they stand there. */
export interface Play {
  readonly key: string;
  readonly tasks: readonly EpisodeTask[];
}

/** A program as the job names it, with its texts. */
export interface Program {
  readonly source: string;
  readonly hint: string;
}

const ARMS: readonly Arm[] = ['hinted', 'unhinted'];

/**
 * The objects that a job must leave behind: one an environment in a rollout, one for the whole shard in an evaluation.
 *
 * @param seed - of the experiment
 * @param programs - by environment id
 */
export function playsOf(job: RolloutJob, seed: number, programs: ReadonlyMap<string, Program>): Play[] {
  const keys = iterationKeys(job.experiment, job.iteration);
  const tasks = job.environments.map((environment) => tasksOf(job, environment, seed, programs.get(environment.id)));
  if (job.kind === 'rollout') {
    return job.environments.map(({ id }, position) => ({ key: keys.episodes(id), tasks: tasks[position] ?? [] }));
  }
  return [{ key: keys.evaluationEpisodes(job.policyVersion, job.shard), tasks: tasks.flat() }];
}

/** By index, then arm: the arms take turns, so that a slow hour of the server or the host hits both alike (M5). */
function tasksOf(
  job: RolloutJob,
  { id, seeds }: RolloutJob['environments'][number],
  runSeed: number,
  program: Program | undefined,
): EpisodeTask[] {
  const { source = '', hint = '' } = program ?? {};
  const arms = job.kind === 'rollout' ? ARMS : (['unhinted'] as const);
  return seeds.flatMap((seed, index) =>
    arms.map((arm) => ({
      ...{ environment: id, source, arm, index, seed },
      hint: arm === 'hinted' ? hint : null,
      samplerSeed: (turn: number) =>
        job.kind === 'rollout'
          ? deriveSeed('rollout', runSeed, job.experiment, job.iteration, id, arm, index, turn)
          : // The benchmark is sampled alike for all versions of all runs: differences are the policy's (M26).
            deriveSeed('evaluate', id, seed, turn),
    })),
  );
}
