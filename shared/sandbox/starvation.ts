import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

const NANOSECONDS_PER_MS = 1e6;

/** What the scheduler says of a process: milliseconds on a core, milliseconds queued for one, whether it wants one now, or is dead. */
export interface Scheduling {
  readonly ranMs: number;
  readonly queuedMs: number;
  readonly runnable: boolean;
  readonly dead: boolean;
}

/** What is assumed where the scheduler cannot be asked: that the process has only itself to blame. */
const UNKNOWN: Scheduling = { ranMs: Number.POSITIVE_INFINITY, queuedMs: 0, runnable: false, dead: false };

/**
 * Asks the scheduler about a process. Linux only.
 * Source: /proc/PID/schedstat, fields 1 and 2 in nanoseconds (Documentation/scheduler/sched-stats.rst), and the state of
 * /proc/PID/stat. A wait that has not ended yet is not in field 2; `runnable` tells of it.
 */
export async function schedulingOf(pid: number): Promise<Scheduling> {
  try {
    return schedulingFrom(
      ...(await Promise.all([readFile(`/proc/${pid}/schedstat`, 'latin1'), readFile(`/proc/${pid}/stat`, 'latin1')])),
    );
  } catch {
    return process.platform === 'linux' ? { ...UNKNOWN, dead: !existsSync(`/proc/${pid}`) } : UNKNOWN;
  }
}

/** Reads the two files of a process; empty ones are those of a process that is gone. */
export function schedulingFrom(statistics: string, status: string): Scheduling {
  if (status === '') return { ...UNKNOWN, dead: true };
  const [ran, queued] = statistics.split(' ').map((field) => Number(field) / NANOSECONDS_PER_MS);
  const state = status.charAt(status.lastIndexOf(')') + 2);
  const dead = state === 'Z' || state === 'X';
  return { ranMs: ran ?? 0, queuedMs: queued ?? 0, runnable: state === 'R' || state === 'D', dead };
}

/** Of a process that is looked at from another container, when no answer came: whoever should answer has no core either. */
export const UNANSWERED: Scheduling = { ranMs: 0, queuedMs: 0, runnable: true, dead: false };

/** Share of a deadline lost to others from which on the machine, not the program, counts as slow. */
const LOST_SHARE = 0.3;

/**
 * Whether a missed deadline says nothing about the program: it queued for a core, it still does and hardly ran, we ourselves
 * looked late, or it is dead and the news of how it died is still on its way.
 * @param lateByMs how long after the deadline this is asked
 */
export function wasStarved(before: Scheduling, now: Scheduling, deadlineMs: number, lateByMs: number): boolean {
  const lost = LOST_SHARE * deadlineMs;
  const ran = now.ranMs - before.ranMs;
  return (
    now.dead || lateByMs >= lost || now.queuedMs - before.queuedMs >= lost || (now.runnable && ran < deadlineMs - lost)
  );
}
