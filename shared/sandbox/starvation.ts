import { readFile } from 'node:fs/promises';

const NANOSECONDS_PER_MS = 1e6;

/**
 * Milliseconds that a process has spent ready to run without getting a core, since it started. On a busy machine this is
 * what makes an honest program late, and it is not the program's fault. Linux only; 0 where it cannot be read.
 * Source: second field of /proc/PID/schedstat (Documentation/scheduler/sched-stats.rst).
 */
export async function runQueueWaitMs(pid: number): Promise<number> {
  try {
    const [, wait] = (await readFile(`/proc/${pid}/schedstat`, 'latin1')).split(' ');
    return Number(wait) / NANOSECONDS_PER_MS;
  } catch {
    return 0;
  }
}
