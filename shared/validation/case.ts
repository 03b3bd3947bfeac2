import type { WarningCode } from '../contracts/reason-codes.ts';
import type { Evidence } from '../contracts/verdict.ts';
import { deriveSeed, type Rng, rng } from '../domain/seeds.ts';
import type { Sandbox, SourceFacts } from '../sandbox/types.ts';
import type { Solved, SolvedInTurns } from './leaks.ts';
import type { Player, Transcript } from './player.ts';
import type { ValidationInput } from './types.ts';

/** What the layers learn and hand on. */
export interface Case {
  readonly input: ValidationInput;
  readonly sandbox: Sandbox;
  readonly warnings: Set<WarningCode>;
  facts?: SourceFacts;
  /** The process of the import layer, played by the smoke layer. */
  player?: Player;
  smoke?: Transcript;
  solutionTotal?: number;
  /** Won in one turn, or in tool use by an answer that says something. */
  solved?: readonly Solved[];
  /** Won in several turns. */
  solvedInTurns?: readonly SolvedInTurns[];
}

/** One layer: resolves with its evidence, or throws a Rejection. */
export type Layer = (subject: Case) => Promise<Evidence>;

/** Turns after which a probe gives up on a program that ends by neither its own rule nor `max_turns`. */
const PATIENCE_TURNS = 64;

/** A secret probe seed: 31 bits, so that it fits whatever a program does with it. */
export function probeSeed({ input }: Case, ...label: (string | number)[]): number {
  return deriveSeed(input.probeSeed, ...label) >>> 1;
}

/** The generator of a probe's actions; secret from the program. */
export function generator({ input }: Case, ...label: (string | number)[]): Rng {
  return rng(deriveSeed(input.probeSeed, 'actions', ...label));
}

/** How every probe opens the program. */
export const opened = (subject: Case) => ({ seed: probeSeed(subject, 'import'), ...subject.input.limits });
/** Turns after which a probe stops. */
export const patience = (subject: Case) => Math.max(PATIENCE_TURNS, 2 * subject.input.limits.maxTurns);
