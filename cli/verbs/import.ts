import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, extname } from 'node:path';
import { Command } from 'commander';
import { VERSIONS } from '../../functions/versions.ts';
import { fixExperiment } from '../../local/home/experiment.ts';
import { folderUri, type Home, homeOf, makeHome } from '../../local/home/layout.ts';
import { type ImportedLine, type ImportJournal, openImportJournal } from '../../local/import-journal.ts';
import { type ImportDeps, importProgram, isKnown, type Pool, refusalBefore } from '../../local/import-program.ts';
import { readExperimentFile } from '../../local/index.ts';
import { holdTable } from '../../local/processes/table.ts';
import { openStore } from '../../shared/adapters/stores.ts';
import type { ExperimentConfig, LeaseHeld } from '../../shared/contracts/index.ts';
import type { PoolProgram } from '../../shared/domain/pools.ts';
import type { Sandbox } from '../../shared/sandbox/index.ts';
import { EXIT } from '../exit-codes.ts';
import { openExperiment } from '../experiment-data.ts';
import { inOrder } from '../in-order.ts';
import { judgeOffered, rulesOf } from '../judge-programs.ts';
import { countPrograms, type OfferedProgram, offeredPrograms } from '../offered-programs.ts';
import { homeOption, wholeNumber, withExamples } from '../options.ts';
import { createProgressBar } from '../progress-bar.ts';
import { textTable } from '../text-table.ts';
import { withSandbox } from '../with-sandbox.ts';

interface Options {
  readonly home: string;
  readonly experiment?: string;
  readonly skill?: string;
  readonly jobs: number;
  readonly json?: true;
}

/** `spade import POOL…` */
export function importVerb(): Command {
  const command = new Command('import')
    .description(
      'Validate the environments of pools and take the accepted ones into an experiment, where designers are kept from making them again.',
    )
    .argument('<pools...>', 'pools (.jsonl), or folders of programs with a manifest.json')
    .option('--experiment <name>', 'an experiment of the home, or an experiment file; without it, the one touched last')
    .option('--skill <skill>', 'skill of programs for which the pool names none')
    .option('--jobs <n>', 'validations at once', wholeNumber(1, 64), Math.min(8, availableParallelism()))
    .option('--json', 'print one JSON object a program instead of the table')
    .addOption(homeOption())
    .action(async (paths: string[], options: Options) => {
      process.exitCode = await importPools(paths, options);
    });
  return withExamples(command, [
    'import pool.jsonl --experiment learning',
    'import pool.jsonl --experiment examples/learning.yaml   # begins the experiment; run it afterwards',
    'import run-7/ --skill "Logical Deduction" --jobs 8',
  ]);
}

/** What became of a line in this call: `lost` is not written down, so the next call tries it again. */
type Line = ImportedLine | (Omit<ImportedLine, 'outcome'> & { readonly outcome: 'lost' });

async function importPools(paths: readonly string[], options: Options): Promise<number> {
  const total = await countPrograms(paths);
  const { config, home } = await openTarget(options);
  const lost = new AbortController();
  const table = await holdTable(home, config.experiment, (error: LeaseHeld) => lost.abort(error));
  const bar = createProgressBar('import', total);
  const lines: Line[] = [];
  try {
    const environments = openStore(folderUri(home.stores.environments));
    const deps = { stores: { environments }, memory: table.services.memory, versions: VERSIONS };
    await withSandbox(
      async (sandbox) => {
        for (const path of paths) {
          for await (const line of importPool(path, { config, home, options, sandbox, deps })) {
            lost.signal.throwIfAborted();
            lines.push(line);
            bar.clear();
            if (options.json) console.log(JSON.stringify({ pool: path, ...line }));
            bar.show(lines.length, countOutcomes(lines));
          }
        }
      },
      options.jobs,
      { limits: config.limits, extraModules: config.limits.modules },
    );
  } finally {
    bar.clear();
    await table.close();
  }
  if (!options.json) console.log(importTable(lines));
  if (lines.some(({ outcome }) => outcome === 'lost')) return EXIT.unavailable;
  return lines.some(({ outcome }) => outcome === 'accepted' || outcome === 'known') ? EXIT.done : EXIT.negative;
}

/** The experiment that takes them: a file begins it, or goes on with it. */
async function openTarget({ experiment, home }: Options): Promise<{ config: ExperimentConfig; home: Home }> {
  if (experiment === undefined || !['.yaml', '.yml'].includes(extname(experiment))) {
    return openExperiment(home, experiment);
  }
  const config = readExperimentFile({ file: experiment });
  const folders = homeOf(home, config.experiment);
  makeHome(folders);
  await fixExperiment(config, openStore(folderUri(folders.stores.episodes)));
  return { config, home: folders };
}

interface Import {
  readonly config: ExperimentConfig;
  readonly home: Home;
  readonly options: Options;
  readonly sandbox: Sandbox;
  readonly deps: ImportDeps;
}

async function* importPool(path: string, task: Import): AsyncGenerator<Line> {
  const pool: Pool = { name: basename(path), sha256: await contentHash(path) };
  const journal = openImportJournal(task.home, pool.sha256);
  const judged = inOrder(offeredPrograms([path]), task.options.jobs, (offered) => judge(offered, journal, task));
  for await (const { line, program } of judged) {
    const taken = line.outcome === 'accepted' && program ? await take(line, program, pool, task) : line;
    if (isFinal(taken) && !journal.done.has(taken.line)) journal.add(taken);
    yield taken;
  }
}

/** Whether a later call would say the same: not of what the host lost, nor of what another option lets in. */
function isFinal(line: Line): line is ImportedLine {
  return line.outcome !== 'lost' && (line.outcome !== 'refused' || line.verdict !== null);
}

/** What can be said of a program without looking at the others. */
async function judge(
  offered: OfferedProgram,
  journal: ImportJournal,
  { config, options, sandbox, deps }: Import,
): Promise<{ line: Line; program: PoolProgram | null }> {
  const known = journal.done.get(offered.line);
  if (known !== undefined) {
    const outcome = known.outcome === 'accepted' ? 'known' : known.outcome;
    return { line: { ...known, outcome }, program: null };
  }
  const { line } = offered;
  if (offered.program === null) return { line: lineOf(line, '', 'corrupt', null, offered.problem), program: null };
  const program = { ...offered.program, skill: offered.program.skill || (options.skill ?? '') };
  if (await isKnown(config, program, deps)) return { line: lineOf(line, program.id, 'known', null, ''), program };
  const refused = refusalBefore(config, program);
  if (refused !== null) return { line: lineOf(line, program.id, 'refused', refused.reason, refused.detail), program };
  const { verdict, outcome, problem } = await judgeOffered({ ...offered, program }, rulesOf(config), sandbox);
  const detail = verdict?.detail ?? problem ?? '';
  return { line: { ...lineOf(line, program.id, outcome, verdict?.reason ?? null, detail), verdict }, program };
}

/** Takes an accepted program in, unless one before it is the same: what two jobs judged at once is told apart here. */
async function take(line: Line, program: PoolProgram, pool: Pool, { config, deps }: Import): Promise<Line> {
  if (line.verdict === null) return line;
  if (await isKnown(config, program, deps)) return { ...line, outcome: 'known' };
  const refused = await importProgram(config, pool, { line: line.line, program, verdict: line.verdict }, deps);
  return refused === null ? line : { ...line, outcome: 'refused', ...refused };
}

function lineOf(line: number, id: string, outcome: Line['outcome'], reason: string | null, detail: string): Line {
  return { line, id, outcome, reason, detail, verdict: null };
}

/** SHA-256 of a pool, or of all programs of a folder with their names. */
async function contentHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  if (extname(path).toLowerCase() === '.jsonl') for await (const chunk of createReadStream(path)) hash.update(chunk);
  else for await (const { name, program } of offeredPrograms([path])) hash.update(`${name}\0${program?.source}\0`);
  return hash.digest('hex');
}

function countOutcomes(lines: readonly Line[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { outcome } of lines) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

const ORDER: readonly Line['outcome'][] = ['accepted', 'known', 'refused', 'corrupt', 'lost'];
const SHOWN_LINES = 6;

/** Outcomes by reason, with how many and which lines. */
export function importTable(lines: readonly Line[]): string {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const key = `${ORDER.indexOf(line.outcome)} ${line.outcome === 'corrupt' ? line.detail : (line.reason ?? '')}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  const rows = [...groups.values()].sort(
    (a, b) => outcomeOrder(a) - outcomeOrder(b) || b.length - a.length || firstLine(a) - firstLine(b),
  );
  const table = textTable(
    [
      { heading: 'outcome', cell: ([first]: Line[]) => first?.outcome ?? '' },
      { heading: 'reason', cell: ([first]) => first?.reason ?? (first?.outcome === 'corrupt' ? first.detail : '') },
      { heading: 'programs', cell: (group) => String(group.length), align: 'right' },
      { heading: 'lines', cell: linesText },
    ],
    rows,
  );
  return `${table}\n${lines.length} programs`;
}

const outcomeOrder = (group: readonly Line[]) => ORDER.indexOf(group[0]?.outcome ?? 'lost');
const firstLine = (group: readonly Line[]) => group[0]?.line ?? 0;

function linesText(group: readonly Line[]): string {
  const shown = group.slice(0, SHOWN_LINES).map(({ line }) => line);
  return `${shown.join(', ')}${group.length > SHOWN_LINES ? ', …' : ''}`;
}
