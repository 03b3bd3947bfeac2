import type { ReasonCode } from '../../contracts/reason-codes.ts';
import { validateEnvironment } from '../../validation/index.ts';
import type { Reply, Sandbox, SandboxLimits } from '../types.ts';
import { programOf, type Row, TRIGGER_SEED } from './row.ts';

/** How a row is run: judged by validation; played without it; on one seed of three only; beside a neighbour. */
export const MODES = ['validation', 'unvalidated', 'third-episode', 'beside-victim'] as const;
/** One of {@link MODES}. */
export type Mode = (typeof MODES)[number];

/** Limits of the suite: short, so that rows which run into them are quick. */
export const SUITE_LIMITS: Partial<SandboxLimits> = { stepMs: 600, loadMs: 1500, episodeMs: 6000 };

const TURNS = 26;
/** Turns that programs are given; the longest honest programs of the embedded policy need eight. */
const TURN_LIMIT = 8;
const VICTIM = programOf({ code: 'pass' });
const VICTIM_SEED = 20_261_129;

/** What a run saw: the reason, or `accepted` / `played`, and a complaint when that is not what the row requires. */
export interface Result {
  readonly seen: string;
  readonly complaint: string | null;
}

/** What an episode of a program ends with, and everything it showed. */
export async function playOut(
  sandbox: Sandbox,
  source: string,
  seed: number,
): Promise<{ seen: ReasonCode | 'played'; shown: string[] }> {
  const environment = await sandbox.open(source, { seed, maxTurns: TURN_LIMIT });
  const shown: string[] = [];
  const failed = (reply: Reply<unknown>): ReasonCode | undefined => (reply.ok ? undefined : reply.reason);
  try {
    const loaded = failed(await environment.load());
    if (loaded !== undefined) return { seen: loaded, shown };
    const first = await environment.reset(seed);
    if (!first.ok) return { seen: first.reason, shown };
    shown.push(first.value.observation);
    for (let turn = 0; turn < TURNS; turn++) {
      const step = await environment.step(`\\boxed{${turn}}`);
      if (!step.ok) return { seen: step.reason, shown };
      shown.push(`${step.value.observation} ${step.value.reward}`);
      if (step.value.terminated || step.value.truncated) break;
    }
    return { seen: 'played', shown };
  } finally {
    environment.close();
  }
}

const expected = (seen: string, allowed: readonly string[]): Result => ({
  seen,
  complaint: allowed.includes(seen) ? null : `expected ${allowed.join(' or ')}, saw ${seen}`,
});

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
    const { seen } = await playOut(sandbox, source, seed);
    if (seen !== 'played') return { seen, complaint: `an episode before the trigger ended with ${seen}` };
  }
  return expected((await playOut(sandbox, source, TRIGGER_SEED)).seen, row.err);
}

async function besideVictim(sandbox: Sandbox, row: Row): Promise<Result> {
  const quiet = await playOut(sandbox, VICTIM, VICTIM_SEED);
  const attacks = [1, 2, 3].map((seed) => playOut(sandbox, programOf(row), seed));
  const victims = await Promise.all([1, 2, 3].map(() => playOut(sandbox, VICTIM, VICTIM_SEED)));
  const seen = (await Promise.all(attacks)).map((attack) => attack.seen);
  const disturbed = victims.some((victim) => JSON.stringify(victim) !== JSON.stringify(quiet));
  if (disturbed) return { seen: seen.join(), complaint: 'the neighbour was disturbed' };
  return (
    seen.map((reason) => expected(reason, row.err)).find(({ complaint }) => complaint !== null) ??
    expected(seen[0] ?? '', row.err)
  );
}

/** Runs one row in one mode. */
export async function runRow(sandbox: Sandbox, row: Row, mode: Mode): Promise<Result> {
  if (mode === 'validation') return expected(await validated(sandbox, programOf(row)), row.reject);
  if (mode === 'unvalidated') return expected((await playOut(sandbox, programOf(row), 1)).seen, row.err);
  return mode === 'third-episode' ? thirdEpisode(sandbox, row) : besideVictim(sandbox, row);
}

/** Runs an honest program: accepted, and played to its end. */
export async function runControl(sandbox: Sandbox, source: string): Promise<Result> {
  const verdict = await validated(sandbox, source);
  if (verdict !== 'accepted') return { seen: verdict, complaint: `expected accepted, saw ${verdict}` };
  return expected((await playOut(sandbox, source, 1)).seen, ['played']);
}
