/*
 * Start latency, step rate and processor time of the sandbox beside other ways of running the same program, in one run on one
 * machine.
 *
 *   node benchmarks/sandbox/run.ts [--starts 100] [--steps 5000] [--rounds 5] [--episodes 1000]
 *
 * Rounds alternate between the contestants and medians are printed, so that a neighbour's load hits all alike. Contestants that
 * are not installed are named and left out: benchmarks/sandbox/setup installs Pyodide.
 */
import { readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { type Sandbox, startSandbox } from '../../shared/sandbox/index.ts';
import { bubblewrap, type Contestant, inProcess, ours, PROGRAM, plainProcess } from './contestants.ts';
import { type Measured, measure, median, quantile, startMany, stepMany, table } from './measure.ts';
import { pyodide } from './pyodide.ts';

const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '100' },
    steps: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '5' },
    episodes: { type: 'string', default: '1000' },
  },
});
const [STARTS, STEPS, ROUNDS, EPISODES] = [values.starts, values.steps, values.rounds, values.episodes].map(Number) as [
  number,
  number,
  number,
  number,
];
const AT_ONCE = 16;
/** Pyodide takes seconds to start, and so does a whole sandbox. */
const FEW_STARTS = 2;
const PLAY = { limits: { episodeMs: 600_000 } };

async function coldStart(source: string): Promise<number> {
  const since = performance.now();
  const sandbox = await startSandbox(PLAY);
  const episode = await ours(sandbox, source).start(1);
  const ms = performance.now() - since;
  await episode.close();
  await sandbox.close();
  return ms;
}

interface Row {
  readonly name: string;
  readonly startMs: readonly number[];
  readonly stepsPerSecond: number;
}

function printed(rows: readonly Row[]): string {
  const [first] = rows;
  if (first === undefined) return '';
  const own = { start: median(first.startMs), steps: first.stepsPerSecond };
  return table([
    ['', 'start p50 ms', 'p99 ms', '× ours', 'steps/s', '× ours'],
    ...rows.map(({ name, startMs, stepsPerSecond }) => [
      name,
      median(startMs).toFixed(2),
      startMs.length >= 100 ? quantile(startMs, 0.99).toFixed(2) : '–',
      (median(startMs) / own.start).toFixed(2),
      Number.isNaN(stepsPerSecond) ? '–' : stepsPerSecond.toFixed(0),
      Number.isNaN(stepsPerSecond) ? '–' : (stepsPerSecond / own.steps).toFixed(2),
    ]),
  ]);
}

async function main(sandbox: Sandbox): Promise<void> {
  const source = readFileSync(PROGRAM, 'utf8');
  const offered = [ours(sandbox, source), plainProcess(), bubblewrap(), await pyodide(PROGRAM)];
  const contestants = offered.filter((entry) => typeof entry !== 'string');
  console.log(`${cpus().length} × ${cpus()[0]?.model}, ${sandbox.isolation.interpreter}, Node ${process.version}`);
  console.log(`walls: ${sandbox.isolation.layers.join(', ')}`);
  for (const absent of offered) if (typeof absent === 'string') console.log(absent);
  const rounds = new Map<string, Measured[]>(contestants.map(({ name }) => [name, []]));
  const bare: Measured[] = [];
  const cold: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const entry of contestants)
      rounds.get(entry.name)?.push(await measure(entry, entry.slow ? FEW_STARTS : STARTS, STEPS));
    bare.push(inProcess(STARTS, STEPS * 10));
    cold.push(await coldStart(source));
  }
  const rowOf = (name: string, results: readonly Measured[]): Row => ({
    name,
    startMs: results.flatMap(({ startMs }) => startMs),
    stepsPerSecond: median(results.map(({ stepsPerSecond }) => stepsPerSecond)),
  });
  const load = loadavg().map((x) => x.toFixed(1));
  console.log(`load ${load.join(' ')}; ${ROUNDS} alternating rounds of ${STARTS} starts and ${STEPS} steps\n`);
  const [own, ...others] = contestants.map(({ name }) => rowOf(name, rounds.get(name) ?? []));
  const whole = { name: 'spade sandbox, cold: with its fork server', startMs: cold, stepsPerSecond: Number.NaN };
  console.log(printed([...(own ? [own] : []), whole, ...others, rowOf('in process, no isolation', bare)]));
  await throughput(contestants.filter(({ slow }) => !slow));
}

async function throughput(contestants: readonly Contestant[]): Promise<void> {
  console.log(`\n${EPISODES} episodes of one step, ${AT_ONCE} at once`);
  for (const entry of contestants) {
    const { seconds, cpuSeconds, ownCpuSeconds } = await startMany(entry, EPISODES, AT_ONCE);
    const [all, supervisor] = [cpuSeconds, ownCpuSeconds].map((s) => ((s / EPISODES) * 1e3).toFixed(2));
    console.log(
      `  ${entry.name}: ${seconds.toFixed(2)} s; CPU ms each: ${all}, of which in this process ${supervisor}`,
    );
  }
  const steps = STEPS * 8;
  console.log(`${steps} steps over ${AT_ONCE} episodes at once`);
  for (const entry of contestants) {
    const { seconds, cpuSeconds, ownCpuSeconds } = await stepMany(entry, steps, AT_ONCE);
    const [all, supervisor] = [cpuSeconds, ownCpuSeconds].map((s) => ((s / steps) * 1e6).toFixed(0));
    const rate = (steps / seconds).toFixed(0);
    console.log(`  ${entry.name}: ${rate} steps/s; CPU µs each: ${all}, of which in this process ${supervisor}`);
  }
}

const sandbox = await startSandbox(PLAY);
try {
  await main(sandbox);
} finally {
  await sandbox.close();
}
