import { readdirSync, readFileSync } from 'node:fs';
import type { Contestant } from './contestants.ts';

/** What one contestant did in one round. */
export interface Measured {
  /** Milliseconds until the first observation, one value a start. */
  readonly startMs: readonly number[];
  readonly stepsPerSecond: number;
}

export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Starts one after the other, then steps of one episode. */
export async function measure(contestant: Contestant, starts: number, steps: number): Promise<Measured> {
  const startMs: number[] = [];
  for (let seed = 0; seed < starts; seed++) {
    const since = performance.now();
    const episode = await contestant.start(seed);
    startMs.push(performance.now() - since);
    await episode.close();
  }
  const episode = await contestant.start(1);
  const since = performance.now();
  for (let step = 0; step < steps; step++) await episode.step();
  const seconds = (performance.now() - since) / 1000;
  await episode.close();
  return { startMs, stepsPerSecond: steps / seconds };
}

/** Starts so many episodes, each with one step, `atOnce` at a time: wall-clock seconds, and CPU seconds of all processes. */
export async function startMany(contestant: Contestant, episodes: number, atOnce: number): Promise<Cost> {
  let next = 0;
  return costOf(async () => {
    const worker = async (): Promise<void> => {
      while (next < episodes) {
        const episode = await contestant.start(next++);
        await episode.step();
        await episode.close();
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  });
}

/** Steps of many episodes at once, seen from the supervisor: steps in all, and what they cost. */
export async function stepMany(contestant: Contestant, steps: number, atOnce: number): Promise<Cost> {
  const episodes = await Promise.all(Array.from({ length: atOnce }, (_, seed) => contestant.start(seed)));
  const cost = await costOf(async () => {
    await Promise.all(
      episodes.map(async (episode) => {
        for (let step = 0; step < steps / atOnce; step++) await episode.step();
      }),
    );
  });
  await Promise.all(episodes.map((episode) => episode.close()));
  return cost;
}

/** Seconds by the clock, and of the processor in this process. */
export interface Cost {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Of which this process: the supervisor. */
  readonly ownCpuSeconds: number;
}

const TICKS_PER_SECOND = 100;

interface Stat {
  readonly parent: number;
  /** utime, stime, cutime and cstime of /proc/PID/stat: a process and the children it has buried. */
  readonly ticks: number;
}

function stats(): Map<number, Stat> {
  const found = new Map<number, Stat>();
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      found.set(Number(pid), { parent: Number(fields[1]), ticks });
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}

/** Of this process and all that descend from it. */
function ticksOfAll(): number {
  const all = stats();
  const isOurs = (pid: number): boolean => pid === process.pid || (all.has(pid) && isOurs(all.get(pid)?.parent ?? 0));
  return [...all].filter(([pid]) => isOurs(pid)).reduce((sum, [, { ticks }]) => sum + ticks, 0);
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  const [before, since, own] = [ticksOfAll(), performance.now(), process.cpuUsage()];
  await work();
  const seconds = (performance.now() - since) / 1000;
  const { user, system } = process.cpuUsage(own);
  return { seconds, cpuSeconds: (ticksOfAll() - before) / TICKS_PER_SECOND, ownCpuSeconds: (user + system) / 1e6 };
}

/** Rows of cells, padded to columns. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
