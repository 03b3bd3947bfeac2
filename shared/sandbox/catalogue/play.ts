import { subscribe } from 'node:diagnostics_channel';
import type { ReasonCode } from '../../contracts/reason-codes.ts';
import { DEADLINE_PUT_OFF } from '../child.ts';
import type { Reply, Sandbox, StepResult } from '../types.ts';

const TURNS = 26;
/** Turns that programs are given; the longest honest programs of the embedded policy need eight. */
export const TURN_LIMIT = 8;
/** A fault is told at most so long after the deadline, milliseconds. */
const GRACE_MS = 250;

let putOff = 0;
subscribe(DEADLINE_PUT_OFF, () => {
  putOff += 1;
});

/** What an episode of a program ended with, and everything it showed. */
export interface Played {
  readonly seen: ReasonCode | 'played';
  readonly shown: readonly string[];
}

/** The same with what a watch saw. */
export interface Watched extends Played {
  /** All that left the sandbox, details of faults included. */
  readonly told: string;
  readonly stepMs: readonly number[];
  /** `late`: a reply came after its deadline and {@link GRACE_MS}; `starved`: the machine had no core for a program meanwhile. */
  readonly punctual: 'yes' | 'late' | 'starved';
}

const isLast = (value: unknown): boolean => {
  const { terminated, truncated } = value as Partial<StepResult>;
  return terminated === true || truncated === true;
};

/** Plays one episode and keeps the time. @param action the text of the n-th action */
export async function watchedPlay(
  sandbox: Sandbox,
  source: string,
  seed: number,
  action = (turn: number) => `\\boxed{${turn}}`,
): Promise<Watched> {
  const environment = await sandbox.open(source, { seed, maxTurns: TURN_LIMIT });
  const { loadMs, stepMs: limitMs } = sandbox.limits;
  const shown: string[] = [];
  const stepMs: number[] = [];
  const before = putOff;
  let late = false;
  let told = '';
  const timed = async <T>(work: Promise<Reply<T>>, deadlineMs: number): Promise<Reply<T>> => {
    const since = performance.now();
    const reply = await work;
    const ms = performance.now() - since;
    stepMs.push(ms);
    // The last step is followed by an empty request, which has a deadline of its own.
    const last = reply.ok && isLast(reply.value);
    late ||= ms > (last ? 2 : 1) * deadlineMs + GRACE_MS;
    if (!reply.ok) told += reply.detail;
    return reply;
  };
  const end = (seen: Played['seen']): Watched => ({
    seen,
    shown,
    told: shown.join('\n') + told,
    stepMs: stepMs.slice(1),
    punctual: !late ? 'yes' : putOff > before ? 'starved' : 'late',
  });
  try {
    const loaded = await timed(environment.load(), loadMs);
    if (!loaded.ok) return end(loaded.reason);
    const first = await timed(environment.reset(seed), limitMs);
    if (!first.ok) return end(first.reason);
    shown.push(first.value.observation);
    for (let turn = 0; turn < TURNS; turn++) {
      const step = await timed(environment.step(action(turn)), limitMs);
      if (!step.ok) return end(step.reason);
      shown.push(`${step.value.observation} ${step.value.reward}`);
      if (step.value.terminated || step.value.truncated) break;
    }
    return end('played');
  } finally {
    environment.close();
  }
}

/** Plays one episode. */
export async function playOut(sandbox: Sandbox, source: string, seed: number): Promise<Played> {
  const { seen, shown } = await watchedPlay(sandbox, source, seed);
  return { seen, shown };
}
