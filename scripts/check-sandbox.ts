/*
 * `npm run check:sandbox`: every row of the attack catalogue in every mode, the controls, and 300 honest programs.
 *
 *   node scripts/check-sandbox.ts [--rows A,C07] [--modes unvalidated,…] [--programs COUNT] [--mutate] [--json]
 *
 * Exit code 0 when every row ends as it must. `--mutate` breaks one wall at a time in a copy of the sources and demands
 * that at least one row notices; with it, `--rows` takes part of a mutation's name.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CONTROLS, programOf, ROWS } from '../shared/sandbox/catalogue/index.ts';
import {
  canTrigger,
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
const HONEST_PROGRAMS = fileURLToPath(new URL('honest-programs.py', import.meta.url));

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
    const { status, stderr } = spawnSync(process.env.SPADE_PYTHON ?? 'python3', [
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

async function runAll(sandbox: Sandbox, jobs: readonly Job[], say: (line: string) => void): Promise<Outcome[]> {
  const waiting = [...jobs];
  const outcomes: Outcome[] = [];
  const worker = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const since = performance.now();
      const result = await job.run(sandbox);
      outcomes.push({ ...job, ...result, ms: Math.round(performance.now() - since) });
      if (result.complaint !== null) say(`FAILED  ${job.mode} ${job.id} ${job.title}: ${result.complaint}`);
      if (outcomes.length % 50 === 0) say(`${outcomes.length} of ${jobs.length}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcomes;
}

function summary(outcomes: readonly Outcome[]): string[] {
  const count = (list: readonly Outcome[]) =>
    `${list.filter(({ complaint }) => complaint === null).length} / ${list.length}`;
  const modes = [...new Set(outcomes.map(({ mode }) => mode))];
  const layers = [...new Set(outcomes.map(({ seen }) => layerOf(seen)))].sort();
  return [
    ...modes.map((mode) => `${mode.padEnd(16)} ${count(outcomes.filter((outcome) => outcome.mode === mode))}`),
    '',
    'caught by',
    ...layers.map((layer) => `  ${layer.padEnd(20)} ${outcomes.filter(({ seen }) => layerOf(seen) === layer).length}`),
    '',
    `rows passed: ${count(outcomes)}`,
  ];
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '' },
      modes: { type: 'string', default: '' },
      programs: { type: 'string' },
      mutate: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.mutate) return runMutations(values.rows);
  const list = (text: string) => text.split(',').filter((part) => part !== '');
  const sandbox = await startSandbox({ limits: SUITE_LIMITS, slots: 16 });
  try {
    const whole = values.rows === '' && values.modes === '';
    const programs = honestPrograms(Number(values.programs ?? (whole ? DEFAULT_PROGRAMS : 0)));
    const jobs = jobsOf(list(values.rows), list(values.modes), programs);
    const outcomes = await runAll(sandbox, jobs, (line) => console.error(line));
    const plain = outcomes.map(({ run: _run, ...rest }) => rest);
    if (values.json) console.log(JSON.stringify({ isolation: sandbox.isolation, outcomes: plain }));
    else
      console.log(
        [`walls: ${sandbox.isolation.layers.join(', ')}`, ...sandbox.isolation.missing, '', ...summary(outcomes)].join(
          '\n',
        ),
      );
    return outcomes.every(({ complaint }) => complaint === null) ? 0 : 1;
  } finally {
    await sandbox.close();
  }
}

process.exit(await main());
