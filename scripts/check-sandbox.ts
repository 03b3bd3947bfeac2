/*
 * `npm run check:sandbox`: every row of the attack catalogue in every mode, the controls, and 300 honest programs.
 *
 *   node scripts/check-sandbox.ts [--rows A,C07] [--modes unvalidated,…] [--programs COUNT] [--repeat TIMES] [--mutate] [--json]
 *
 * Exit code 0 when every row ends as it must and nobody else came to harm. `--repeat` runs each row so often and demands one
 * and the same reason. `--mutate` breaks one wall at a time in a copy of the sources and demands that at least one row
 * notices; with it, `--rows` takes part of a mutation's name.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { harmToHost, hostState } from '../shared/sandbox/catalogue/host.ts';
import { CONTROLS, plantCanary, programOf, ROWS } from '../shared/sandbox/catalogue/index.ts';
import {
  besideHonest,
  canTrigger,
  HARMS,
  type Harm,
  MODES,
  type Mode,
  type Result,
  runControl,
  runRow,
  SUITE_LIMITS,
} from '../shared/sandbox/catalogue/run.ts';
import { type Sandbox, startSandbox } from '../shared/sandbox/index.ts';
import { runMutations } from './sandbox-mutations.ts';

const AT_ONCE = 4;
const DEFAULT_PROGRAMS = 300;
/** The last processes are buried within this time. */
const SETTLE_MS = 1000;
/** Neighbours are watched beside honest programs after so many rows, interleaved so that the machine is as busy for both. */
const BASELINE_EVERY = 8;
/** Too few replies have no 99th percentile. */
const FEWEST_REPLIES = 1000;
const PLURAL: Readonly<Record<Harm, string>> = {
  escape: 'escapes',
  'host leak': 'host leaks',
  'lateral effect': 'lateral effects',
  denial: 'denials',
};
const HONEST_PROGRAMS = fileURLToPath(new URL('honest-programs.py', import.meta.url));

/** Always the same interpreter makes the programs, whichever plays them: its documentation is where their words come from. */
const MAKER = fileURLToPath(new URL('../.venv/bin/python', import.meta.url));

interface Job {
  readonly mode: Mode | 'control' | 'program';
  readonly id: string;
  readonly title: string;
  readonly run: (sandbox: Sandbox) => Promise<Result>;
}

type Outcome = Job & Result & { readonly ms: number };

/** Layer that a reason belongs to, for the summary of what caught what. */
const LAYER_OF: readonly (readonly [RegExp, string])[] = [
  [/^source\.(empty|too_large|encoding)/, 'intake'],
  [/^(source|import\.forbidden)/, 'static'],
  [/^policy\./, 'system-call filter'],
  [/^limit\.memory/, 'resource limits'],
  [/^(timeout|protocol|crash|limit\.frame|infra|env\.quarantined)/, 'supervisor'],
  [/^(reward|obs|flag|info|class|contract|import|env\.exception|solution)/, 'harness'],
  [/^(nondeterministic|state|degenerate|leak|lifecycle|seed|robust|duplicate|time)/, 'validation'],
];

function layerOf(seen: string): string {
  return LAYER_OF.find(([pattern]) => pattern.test(seen))?.[1] ?? 'none needed';
}

function jobsOf(rows: readonly string[], modes: readonly string[], programs: readonly Program[]): Job[] {
  const wanted = (id: string) => rows.length === 0 || rows.some((prefix) => id.startsWith(prefix));
  const inMode = (mode: string) => modes.length === 0 || modes.includes(mode);
  const attacks = MODES.filter(inMode).flatMap((mode) =>
    ROWS.filter((row) => wanted(row.id) && (mode !== 'third-episode' || canTrigger(row))).map(
      (row): Job => ({ mode, id: row.id, title: row.title, run: (sandbox) => runRow(sandbox, row, mode) }),
    ),
  );
  const honest = (mode: 'control' | 'program', id: string, title: string, source: string): Job => ({
    mode,
    id,
    title,
    run: (sandbox) => runControl(sandbox, source),
  });
  const controls = inMode('control') ? CONTROLS.filter(({ id }) => wanted(id)) : [];
  return [
    ...attacks,
    ...controls.map((control) => honest('control', control.id, control.title, programOf(control))),
    ...programs.map(({ name, source }) => honest('program', 'X15', name, source)),
  ];
}

interface Program {
  readonly name: string;
  readonly source: string;
}

/** Control X15: varied programs of the embedded policy's recipe, made anew. */
function honestPrograms(count: number): Program[] {
  if (count === 0) return [];
  const folder = mkdtempSync(join(tmpdir(), 'spade-honest-'));
  try {
    const { status, stderr } = spawnSync(existsSync(MAKER) ? MAKER : 'python3', [
      HONEST_PROGRAMS,
      folder,
      String(count),
    ]);
    if (status !== 0) throw new Error(`honest-programs.py failed: ${stderr}`);
    return readdirSync(folder)
      .sort()
      .map((name) => ({ name, source: readFileSync(join(folder, name), 'utf8') }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The finished runs, and what attacks did to others beyond any one row. */
interface Report {
  readonly outcomes: readonly Outcome[];
  readonly harms: readonly { readonly harm: Harm; readonly complaint: string }[];
  readonly notes: readonly string[];
}

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

/** One hash of all that the honest programs showed: equal on every host and under every interpreter, when order is. */
function transcripts(outcomes: readonly Outcome[]): string[] {
  const programs = outcomes.filter(({ mode }) => mode === 'program');
  if (programs.length === 0) return [];
  const texts = programs.map(({ title, shown }) => JSON.stringify([title, shown])).sort();
  const digest = createHash('sha256').update(texts.join('\n')).digest('hex');
  return [`transcripts of ${programs.length} honest programs: ${digest.slice(0, 16)}`];
}

/** Attacks may slow their neighbours no more than honest programs that compute: twice as much at the 99th percentile. */
function judgedNeighbours(
  besideAttacks: readonly number[],
  besideHonestMs: readonly number[],
): Pick<Report, 'harms' | 'notes'> {
  if (besideAttacks.length < FEWEST_REPLIES) return { harms: [], notes: [] };
  const [attacked, honest] = [besideAttacks, besideHonestMs].map((ms) => quantile(ms, 0.99)) as [number, number];
  const note = `replies to neighbours, 99th percentile: ${attacked.toFixed(1)} ms beside attacks, ${honest.toFixed(1)} ms beside busy honest programs`;
  return { harms: attacked > 2 * honest ? [{ harm: 'denial', complaint: note }] : [], notes: [note] };
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(q * (sorted.length - 1))] ?? Number.NaN;
}

function summary({ outcomes, harms, notes }: Report): string[] {
  const passed = (list: readonly Outcome[]) => list.filter(({ complaint }) => complaint === null).length;
  const modes = [...new Set(outcomes.map(({ mode }) => mode))];
  const layers = [...new Set(outcomes.map(({ seen }) => layerOf(seen)))].sort();
  const width = Math.max(...modes.map((mode) => mode.length));
  const cells = (values: readonly (string | number)[]) =>
    values.map((cell, at) => String(cell).padStart(modes[at]?.length ?? 0)).join('  ');
  const total = (harm: Harm) => [...outcomes, ...harms].filter((one) => one.harm === harm).length;
  return [
    ...modes.map((mode) => {
      const list = outcomes.filter((outcome) => outcome.mode === mode);
      return `${mode.padEnd(width)}  ${passed(list)} / ${list.length}`;
    }),
    '',
    `${'caught by'.padEnd(22)}${cells(modes)}`,
    ...layers.map((layer) => {
      const seen = outcomes.filter((outcome) => layerOf(outcome.seen) === layer);
      return `${layer.padEnd(22)}${cells(modes.map((mode) => seen.filter((outcome) => outcome.mode === mode).length))}`;
    }),
    '',
    ...harms.map(({ harm, complaint }) => `${harm}: ${complaint}`),
    ...notes,
    HARMS.map((harm) => `${PLURAL[harm]}: ${total(harm)}`).join(', '),
    `rows passed: ${passed(outcomes)} / ${outcomes.length}`,
  ];
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
