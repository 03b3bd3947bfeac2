import type { Episode, RolloutJob } from '../../shared/contracts/index.ts';
import type { Progress } from '../../shared/ports/index.ts';

/** Progress lines are at least this far apart: people read them, and a worker plays a thousand episodes a second. */
const INTERVAL_MS = 250;

/** Counts episodes as they end and shows how the job goes. */
export interface Tally {
  add(episode: Episode): void;
  /** Episodes that are in the store already. */
  skip(count: number): void;
  /** Shows the last numbers. */
  close(): void;
}

/** @param now - monotonic clock in milliseconds */
export function createTally(
  job: RolloutJob,
  total: number,
  progress: Progress,
  now: () => number = () => performance.now(),
): Tally {
  const sums = { hinted: 0, unhinted: 0 };
  const played = { hinted: 0, unhinted: 0 };
  const lost = { env_fault: 0, infra_lost: 0, unresolved: 0 };
  let done = 0;
  let shownAt = Number.NEGATIVE_INFINITY;
  const show = () => {
    shownAt = now();
    progress.emit({
      phase: job.kind === 'rollout' ? 'rollout' : 'evaluate',
      ...{ experiment: job.experiment, iteration: job.iteration, done, total },
      numbers: { shard: job.shard, ...mean('hinted'), ...mean('unhinted'), ...lost },
    });
  };
  const mean = (arm: 'hinted' | 'unhinted') => (played[arm] === 0 ? {} : { [arm]: sums[arm] / played[arm] });
  return {
    add({ outcome, arm, return: value }) {
      done += 1;
      if (outcome === 'played') {
        played[arm] += 1;
        sums[arm] += value ?? 0;
      } else lost[outcome] += 1;
      if (now() - shownAt >= INTERVAL_MS) show();
    },
    skip(count) {
      done += count;
    },
    close: show,
  };
}
