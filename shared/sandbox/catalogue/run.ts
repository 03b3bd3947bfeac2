import { validateEnvironment } from '../../validation/index.ts';
import type { Sandbox, SandboxLimits } from '../types.ts';
import { leakIn, NEIGHBOUR_CANARY } from './canary.ts';
import { TURN_LIMIT, type Watched, watchedPlay } from './play.ts';
import { programOf, type Row, TRIGGER_SEED } from './row.ts';

/** How a row is run: judged by validation; played without it; on one seed of three only; beside a neighbour. */
export const MODES = ['validation', 'unvalidated', 'third-episode', 'beside-victim'] as const;
/** One of {@link MODES}. */
export type Mode = (typeof MODES)[number];

/** Limits of the suite: short, so that rows which run into them are quick. */
export const SUITE_LIMITS: Partial<SandboxLimits> = { stepMs: 600, loadMs: 1500, episodeMs: 6000 };

const VICTIM = programOf({ code: `"${NEIGHBOUR_CANARY}"` });
const VICTIM_SEED = 20_261_129;
/** Honest, and busy for a third of a step's deadline: what a neighbour may cost. */
const BUSY = programOf({
  code: 'import time\nend = time.perf_counter() + 0.2\nwhile time.perf_counter() < end: pass',
});

/** Who but the program itself comes to harm, in the words of the threat model. */
export const HARMS = ['escape', 'host leak', 'lateral effect', 'denial'] as const;
/** One of {@link HARMS}. */
export type Harm = (typeof HARMS)[number];

/** What a run saw: the reason, or `accepted` / `played`, and a complaint when that is not what the row requires. */
export interface Result {
  readonly seen: string;
  readonly complaint: string | null;
  readonly harm: Harm | null;
  /** See {@link Watched}; `yes` where no time was kept. */
  readonly punctual: Watched['punctual'];
  /** Replies of neighbours, milliseconds each. */
  readonly neighbourMs: readonly number[];
  /** What an honest program showed; empty otherwise. */
  readonly shown: readonly string[];
}

const result = (seen: string, complaint: string | null, rest: Partial<Result> = {}): Result => ({
  seen,
  complaint,
  harm: null,
  punctual: 'yes',
  neighbourMs: [],
  shown: [],
  ...rest,
});

/** Rows that try to get out: if nothing stopped one, it got out. */
const SYSTEM_ROW = /^(A0[123]|A1[45]|C)/;

function expected(row: Pick<Row, 'id'> | null, seen: string, allowed: readonly string[]): Result {
  if (allowed.includes(seen)) return result(seen, null);
  const escaped = row !== null && SYSTEM_ROW.test(row.id) && ['played', 'accepted'].includes(seen);
  return result(seen, `expected ${allowed.join(' or ')}, saw ${seen}`, { harm: escaped ? 'escape' : null });
}

/** Judges one episode of an attack: how it ended, what it told, and when. */
function judged(row: Row, watched: Watched): Result {
  const leak = leakIn(watched.told);
  const harm = leak === 'host' ? 'host leak' : 'lateral effect';
  if (leak !== null) return result(watched.seen, `it told a secret of the ${leak}`, { harm });
  return { ...expected(row, watched.seen, row.err), punctual: watched.punctual };
}

async function attack(sandbox: Sandbox, row: Row, source: string, seed: number): Promise<Result> {
  const padding = 'x'.repeat(row.actionPadding ?? 0);
  return judged(row, await watchedPlay(sandbox, source, seed, (turn) => `\\boxed{${turn}}${padding}`));
}

async function validated(sandbox: Sandbox, source: string): Promise<string> {
  const input = {
    source,
    hint: '',
    setting: 'games' as const,
    limits: { maxTurns: TURN_LIMIT, ownTurns: false },
    modules: [],
    winThreshold: 0.5,
    probeSeed: 11,
  };
  const { verdict } = await validateEnvironment(input, sandbox);
  return verdict.reason ?? 'accepted';
}

/** Whether a row can misbehave on one seed only. */
export function canTrigger(row: Row): boolean {
  return row.noTrigger !== true && programOf(row, true) !== row.code;
}

async function thirdEpisode(sandbox: Sandbox, row: Row): Promise<Result> {
  const source = programOf(row, true);
  for (const seed of [1, 2]) {
    const { seen } = await watchedPlay(sandbox, source, seed);
    if (seen !== 'played') return result(seen, `an episode before the trigger ended with ${seen}`);
  }
  return attack(sandbox, row, source, TRIGGER_SEED);
}

const victim = (sandbox: Sandbox): Promise<Watched> =>
  watchedPlay(sandbox, VICTIM, VICTIM_SEED, (turn) => `\\boxed{${turn}} ${NEIGHBOUR_CANARY}`);

const transcript = ({ seen, shown }: Watched): string => JSON.stringify([seen, shown]);

async function besideVictim(sandbox: Sandbox, row: Row): Promise<Result> {
  const quiet = transcript(await victim(sandbox));
  const attacks = [1, 2, 3].map((seed) => attack(sandbox, row, programOf(row), seed));
  const victims = await Promise.all([1, 2, 3].map(() => victim(sandbox)));
  const results = await Promise.all(attacks);
  const neighbourMs = victims.flatMap(({ stepMs }) => stepMs);
  const worst = results.find(({ complaint }) => complaint !== null) ?? results[0] ?? result('nothing', 'nothing ran');
  const disturbed = victims.find((played) => transcript(played) !== quiet);
  if (disturbed === undefined) return { ...worst, neighbourMs };
  const harm = disturbed.seen === 'played' ? 'lateral effect' : 'denial';
  return { ...worst, complaint: `the neighbour ended with ${disturbed.seen}, unlike alone`, harm, neighbourMs };
}

/** How long neighbours wait for replies beside honest programs that compute: what attacks are held against. Milliseconds. */
export async function besideHonest(sandbox: Sandbox): Promise<readonly number[]> {
  const busy = [1, 2, 3].map((seed) => watchedPlay(sandbox, BUSY, seed));
  const victims = await Promise.all([1, 2, 3].map(() => victim(sandbox)));
  await Promise.all(busy);
  return victims.flatMap(({ stepMs }) => stepMs);
}

/** Runs one row in one mode. */
export async function runRow(sandbox: Sandbox, row: Row, mode: Mode): Promise<Result> {
  if (mode === 'validation') return expected(row, await validated(sandbox, programOf(row)), row.reject);
  if (mode === 'unvalidated') return attack(sandbox, row, programOf(row), 1);
  return mode === 'third-episode' ? thirdEpisode(sandbox, row) : besideVictim(sandbox, row);
}

/** Runs an honest program: accepted, and played to its end. */
export async function runControl(sandbox: Sandbox, source: string): Promise<Result> {
  const verdict = await validated(sandbox, source);
  if (verdict !== 'accepted') return result(verdict, `expected accepted, saw ${verdict}`);
  const { seen, shown } = await watchedPlay(sandbox, source, 1);
  return { ...expected(null, seen, ['played']), shown };
}
