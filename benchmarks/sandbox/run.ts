/*
 * Start latency and step rate of the sandbox beside other ways of running the same program, in one run on one machine.
 *
 *   node benchmarks/sandbox/run.ts [--starts 200] [--steps 5000] [--rounds 3] [--soak EPISODES]
 *
 * Rounds alternate between the contestants and the median is printed, so that a neighbour's load hits all alike.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Sandbox, startSandbox } from '../../shared/sandbox/index.ts';
import { bubblewrap, type Contestant, inProcess, ours, PROGRAM, plainProcess } from './contestants.ts';

interface Measured {
  readonly startP50: number;
  readonly startP99: number;
  readonly stepsPerSecond: number;
}

const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};
const median = (values: readonly number[]): number => quantile(values, 0.5);

async function measure(contestant: Contestant, starts: number, steps: number): Promise<Measured> {
  const latencies: number[] = [];
  for (let seed = 0; seed < starts; seed++) {
    const since = performance.now();
    const episode = await contestant.start(seed);
    latencies.push(performance.now() - since);
    await episode.close();
  }
  const episode = await contestant.start(1);
  const since = performance.now();
  for (let step = 0; step < steps; step++) await episode.step();
  const seconds = (performance.now() - since) / 1000;
  await episode.close();
  return { startP50: quantile(latencies, 0.5), startP99: quantile(latencies, 0.99), stepsPerSecond: steps / seconds };
}

async function throughput(contestant: Contestant, episodes: number, atOnce: number): Promise<number> {
  const since = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < episodes) {
      const episode = await contestant.start(next++);
      await episode.step();
      await episode.close();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (performance.now() - since) / 1000;
}

async function parallelSteps(contestant: Contestant, steps: number, atOnce: number): Promise<number> {
  const episodes = await Promise.all(Array.from({ length: atOnce }, (_, seed) => contestant.start(seed)));
  const since = performance.now();
  await Promise.all(
    episodes.map(async (episode) => {
      for (let step = 0; step < steps / atOnce; step++) await episode.step();
    }),
  );
  const seconds = (performance.now() - since) / 1000;
  await Promise.all(episodes.map((episode) => episode.close()));
  return steps / seconds;
}

/** Resident memory, descriptors and dead children of this process and of those it started. */
function footprint(): { residentMb: number; descriptors: number; zombies: number } {
  const status = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const zombies = status.filter((pid) => {
    try {
      return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    } catch {
      return false;
    }
  }).length;
  return {
    residentMb: Math.round(process.memoryUsage().rss / 2 ** 20),
    descriptors: readdirSync('/proc/self/fd').length,
    zombies,
  };
}

async function soak(contestant: Contestant, episodes: number): Promise<void> {
  const parts = 5;
  console.log(`\nsoak: ${episodes} episodes`);
  for (let part = 0; part < parts; part++) {
    const seconds = await throughput(contestant, episodes / parts, 8);
    global.gc?.();
    console.log(`  ${((part + 1) * episodes) / parts} done, ${(episodes / parts / seconds).toFixed(0)}/s`, footprint());
  }
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

async function main(sandbox: Sandbox): Promise<void> {
  const { values } = parseArgs({
    options: {
      starts: { type: 'string', default: '200' },
      steps: { type: 'string', default: '5000' },
      rounds: { type: 'string', default: '3' },
      soak: { type: 'string', default: '0' },
    },
  });
  const [starts, steps, rounds] = [Number(values.starts), Number(values.steps), Number(values.rounds)];
  const contestant = ours(sandbox, readFileSync(PROGRAM, 'utf8'));
  const contestants = [contestant, plainProcess(), bubblewrap()].filter((entry) => entry !== undefined);
  const results = new Map<string, Measured[]>(contestants.map(({ name }) => [name, []]));
  const bare: { startMs: number; stepsPerSecond: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const entry of contestants) results.get(entry.name)?.push(await measure(entry, starts, steps));
    bare.push(inProcess(starts, steps * 10));
  }
  const of = (name: string, pick: (m: Measured) => number): number => median((results.get(name) ?? []).map(pick));
  const own = of(contestant.name, (m) => m.startP50);
  console.log(`${cpus().length} × ${cpus()[0]?.model}, ${sandbox.isolation.interpreter}, Node ${process.version}`);
  console.log(
    `load ${loadavg()
      .map((x) => x.toFixed(1))
      .join(' ')}; medians of ${rounds} alternating rounds\n`,
  );
  const row = (name: string, p50: number, p99: number | undefined, rate: number): string[] => [
    name,
    p50.toFixed(2),
    p99?.toFixed(2) ?? '',
    rate.toFixed(0),
    `× ${(p50 / own).toFixed(2)}`,
  ];
  console.log(
    table([
      ['', 'start p50 ms', 'p99 ms', 'steps/s', 'start vs ours'],
      ...contestants.map(({ name }) =>
        row(
          name,
          of(name, (m) => m.startP50),
          of(name, (m) => m.startP99),
          of(name, (m) => m.stepsPerSecond),
        ),
      ),
      row(
        'in process, no isolation',
        median(bare.map((b) => b.startMs)),
        undefined,
        median(bare.map((b) => b.stepsPerSecond)),
      ),
    ]),
  );
  console.log(`\n1,000 episodes started, 16 at once: ${(await throughput(contestant, 1000, 16)).toFixed(2)} s`);
  console.log(`steps/s over 16 episodes at once: ${(await parallelSteps(contestant, steps * 4, 16)).toFixed(0)}`);
  if (Number(values.soak) > 0) await soak(contestant, Number(values.soak));
}

const sandbox = await startSandbox({ limits: { episodeMs: 600_000 } });
try {
  await main(sandbox);
} finally {
  await sandbox.close();
}
