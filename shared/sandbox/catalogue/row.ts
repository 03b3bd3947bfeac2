import type { ReasonCode } from '../../contracts/reason-codes.ts';

/** Where the hostile statements stand in an otherwise honest program. */
export type Place = 'module' | 'init' | 'reset' | 'step';

/** One attack or fault: a small program and what must become of it. */
export interface Row {
  /** Row of the attack catalogue, with a letter for variants: `A04c`. */
  readonly id: string;
  readonly title: string;
  /** Python statements, or a whole program when `whole` is set or it holds a class named …Env. */
  readonly code: string;
  /** @default 'step' */
  readonly place?: Place;
  /** Reasons with which validation may refuse it, the usual one first; `accepted`: it harms nobody and may pass. */
  readonly reject: readonly (ReasonCode | 'accepted')[];
  /** Reasons with which an episode may end when it is not validated first. `played`: nothing happens to the episode. */
  readonly err: readonly (ReasonCode | 'played')[];
  /** The program cannot be rewritten to misbehave on one seed only. */
  readonly noTrigger?: true;
  /** Padding of every action in characters. @default 0 */
  readonly actionPadding?: number;
  readonly whole?: true;
}

/** One honest program that must be accepted and run to its end. */
export interface Control {
  readonly id: string;
  readonly title: string;
  readonly code: string;
  readonly place?: Place;
}

/** The seed on which a triggered row misbehaves; validation's probe seeds are 31 bits, this one is not. */
export const TRIGGER_SEED = 0xfedcba98;

const indent = (code: string, spaces: number): string =>
  code
    .trim()
    .split('\n')
    .map((line) => ' '.repeat(spaces) + line)
    .join('\n');

/** An honest guessing game with `code` at `place`; with `triggered`, in `step` and on {@link TRIGGER_SEED} only. */
export function programOf(row: { code: string; place?: Place; whole?: true }, triggered = false): string {
  if (row.whole || /^class \w*Env\b/m.test(row.code)) return row.code;
  const place = triggered ? 'step' : (row.place ?? 'step');
  const at = (here: Place, spaces: number): string =>
    place === here ? indent(row.code, spaces) : `${' '.repeat(spaces)}pass`;
  const step = triggered ? `        if self.seed == ${TRIGGER_SEED}:\n${indent(row.code, 12)}` : at('step', 8);
  return `import random, sys
${place === 'module' ? row.code.trim() : ''}

class RowEnv:
    def __init__(self, max_turns=6):
        self.max_turns = max_turns
${at('init', 8)}

    def reset(self, seed=None):
        self.seed = seed
        self.rng = random.Random(seed)
        self.n = self.rng.randint(1, 1000)
        self.t = 0
${at('reset', 8)}
        return f"Guess a number below 1000; its remainder by 7 is {self.n % 7}", {}

    def step(self, action):
        self.t += 1
${step}
        won = action == "\\\\boxed{%d}" % self.n
        return ("right" if won else "wrong"), float(won), won, not won and self.t >= self.max_turns, {}

    def solution(self):
        return str(self.n)
`;
}
