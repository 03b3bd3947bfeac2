import type { Verdict } from '../contracts/verdict.ts';

/** What a validation judges. The verdict is a function of these alone. */
export interface ValidationInput {
  readonly source: string;
  /** Privileged hint; an empty text skips the hint's checks (a program validated before its hint is written). */
  readonly hint: string;
  readonly setting: 'games' | 'tool-use';
  /** Turns after which an episode must have ended, or is cut; `ownTurns`: the program keeps its own number, up to that. */
  readonly limits: { readonly maxTurns: number; readonly ownTurns: boolean };
  /** Modules outside the standard library that the sandbox must offer; read by who starts a sandbox for one validation. */
  readonly modules: readonly string[];
  /** A return above this is a win. */
  readonly winThreshold: number;
  /** Root of all probe seeds and random probe actions; secret from the program. */
  readonly probeSeed: number;
}

/** The card, and beside it what differs from run to run. */
export interface Validation {
  readonly verdict: Verdict;
  /** Wall-clock milliseconds by layer. */
  readonly timings: Readonly<Record<string, number>>;
  /** True when the host, not the program, ended the validation: the verdict is void and the validation is retried. */
  readonly infraLost: boolean;
}
