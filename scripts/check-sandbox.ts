/*
 * `npm run check:sandbox`: every row of the attack catalogue in every mode, the controls, and 300 honest programs.
 *
 *   node scripts/check-sandbox.ts [--rows A,C07] [--modes unvalidated,…] [--programs COUNT] [--repeat TIMES] [--mutate] [--json]
 *
 * Exit code 0 when every row ends as it must and nobody else came to harm. `--repeat` runs each row so often and demands one
 * and the same reason. `--mutate` breaks one wall at a time in a copy of the sources and demands that at least one row
 * notices; with it, `--rows` takes part of a mutation's name.
 */
import { parseArgs } from 'node:util';
import { harmToHost, hostState } from '../shared/sandbox/catalogue/host.ts';
import { plantCanary } from '../shared/sandbox/catalogue/index.ts';
import { besideHonest, SUITE_LIMITS } from '../shared/sandbox/catalogue/run.ts';
import { type Sandbox, startSandbox } from '../shared/sandbox/index.ts';
import { honestPrograms, type Job, jobsOf, type Outcome } from './sandbox-jobs.ts';
import { runMutations } from './sandbox-mutations.ts';
import { judgedNeighbours, type Report, summary, transcripts } from './sandbox-report.ts';

const AT_ONCE = 4;
const DEFAULT_PROGRAMS = 300;
/** The last processes are buried within this time. */
const SETTLE_MS = 1000;
/** Neighbours are watched beside honest programs after so many rows, interleaved so that the machine is as busy for both. */
const BASELINE_EVERY = 8;

async function runOne(sandbox: Sandbox, job: Job): Promise<Outcome> {
  const since = performance.now();
  const result = await job.run(sandbox);
  return { ...job, ...result, ms: Math.round(performance.now() - since) };
}

/** Once more, alone: late with all cores to itself is late. */
async function judgedAlone(sandbox: Sandbox, outcome: Outcome): Promise<Outcome> {
  if (outcome.punctual !== 'late' || outcome.complaint !== null) return outcome;
  const again = await runOne(sandbox, outcome);
  if (again.punctual !== 'late' || again.complaint !== null) return again;
  return { ...again, complaint: 'a reply came more than 250 ms after its deadline', harm: 'denial' };
}

async function runAll(sandbox: Sandbox, jobs: readonly Job[], say: (line: string) => void): Promise<Report> {
  const waiting = [...jobs];
  const outcomes: Outcome[] = [];
  const besideHonestMs: number[] = [];
  const before = hostState();
  const worker = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      outcomes.push(await runOne(sandbox, job));
      if (job.mode === 'beside-victim' && outcomes.length % BASELINE_EVERY === 0)
        besideHonestMs.push(...(await besideHonest(sandbox)));
      if (outcomes.length % 50 === 0) say(`${outcomes.length} of ${jobs.length}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const final: Outcome[] = [];
  for (const outcome of outcomes) final.push(await judgedAlone(sandbox, outcome));
  for (const { mode, id, title, complaint } of final)
    if (complaint !== null) say(`FAILED  ${mode} ${id} ${title}: ${complaint}`);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const neighbours = judgedNeighbours(
    final.flatMap(({ neighbourMs }) => neighbourMs),
    besideHonestMs,
  );
  const starved = final.filter(({ punctual }) => punctual === 'starved').length;
  return {
    outcomes: final,
    harms: [...harmToHost(before, hostState()), ...neighbours.harms],
    notes: [
      ...neighbours.notes,
      ...transcripts(final),
      ...(starved > 0 ? [`deadlines put off for want of a core: ${starved} rows`] : []),
    ],
  };
}

/** Each row so often, without validation: one reason only. Returns the exit code. */
async function repeated(sandbox: Sandbox, rows: readonly string[], times: number): Promise<number> {
  const jobs = jobsOf(rows, ['unvalidated'], []);
  const { outcomes } = await runAll(
    sandbox,
    jobs.flatMap((job) => Array.from({ length: times }, () => job)),
    (line) => console.error(line),
  );
  const seenOf = new Map<string, Set<string>>();
  for (const { id, seen } of outcomes) seenOf.set(id, (seenOf.get(id) ?? new Set()).add(seen));
  const unstable = [...seenOf].filter(([, seen]) => seen.size > 1);
  for (const [id, seen] of unstable) console.log(`${id}: ${[...seen].join(', ')}`);
  console.log(`rows with one reason in ${times} runs: ${seenOf.size - unstable.length} / ${seenOf.size}`);
  return unstable.length === 0 && outcomes.every(({ complaint }) => complaint === null) ? 0 : 1;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '' },
      modes: { type: 'string', default: '' },
      programs: { type: 'string' },
      repeat: { type: 'string', default: '0' },
      mutate: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.mutate) return runMutations(values.rows);
  const list = (text: string) => text.split(',').filter((part) => part !== '');
  plantCanary();
  // Rows repeat programs on purpose: quarantine has a test of its own.
  const sandbox = await startSandbox({ limits: SUITE_LIMITS, slots: 16, quarantineAfter: Number.POSITIVE_INFINITY });
  try {
    if (Number(values.repeat) > 0) return await repeated(sandbox, list(values.rows), Number(values.repeat));
    const whole = values.rows === '' && values.modes === '';
    const programs = honestPrograms(Number(values.programs ?? (whole ? DEFAULT_PROGRAMS : 0)));
    const jobs = jobsOf(list(values.rows), list(values.modes), programs);
    const report = await runAll(sandbox, jobs, (line) => console.error(line));
    const { isolation } = sandbox;
    const outcomes = report.outcomes.map(({ run: _run, neighbourMs: _ms, shown: _shown, ...rest }) => rest);
    const text = [
      `${isolation.interpreter}: ${isolation.layers.join(', ')}`,
      ...isolation.missing,
      '',
      ...summary(report),
    ];
    console.log(values.json ? JSON.stringify({ isolation, ...report, outcomes }) : text.join('\n'));
    return report.harms.length === 0 && outcomes.every(({ complaint }) => complaint === null) ? 0 : 1;
  } finally {
    await sandbox.close();
  }
}

process.exit(await main());
