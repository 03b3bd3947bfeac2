import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTROLS, programOf, ROWS } from '../shared/sandbox/catalogue/index.ts';
import { canTrigger, MODES, type Mode, type Result, runControl, runRow } from '../shared/sandbox/catalogue/run.ts';
import type { Sandbox } from '../shared/sandbox/index.ts';

const HONEST_PROGRAMS = fileURLToPath(new URL('honest-programs.py', import.meta.url));
/** Always the same interpreter makes the programs, whichever plays them: its documentation is where their words come from. */
const MAKER = fileURLToPath(new URL('../.venv/bin/python', import.meta.url));

/** One program to be run in one way. */
export interface Job {
  readonly mode: Mode | 'control' | 'program';
  readonly id: string;
  readonly title: string;
  readonly run: (sandbox: Sandbox) => Promise<Result>;
}

/** What came of it, in milliseconds. */
export type Outcome = Job & Result & { readonly ms: number };

/** Everything that was asked for: rows by the beginnings of their ids, modes by name; all of them where a list is empty. */
export function jobsOf(rows: readonly string[], modes: readonly string[], programs: readonly Program[]): Job[] {
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

/** An honest program by its file's name. */
export interface Program {
  readonly name: string;
  readonly source: string;
}

/** Control X15: varied honest programs, made anew. */
export function honestPrograms(count: number): Program[] {
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
