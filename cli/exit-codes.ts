import { ERROR_NAMES } from '../shared/contracts/index.ts';

/** What the command's exit status says; listed in `spade --help`. */
export const EXIT = {
  done: 0,
  /** The command worked and the answer is no: a program was refused, an iteration failed. */
  negative: 1,
  /** Wrong usage or wrong input; nothing was done. */
  input: 2,
  /** Something on this machine or behind it is missing or down; the same command may work later. */
  unavailable: 3,
  /** Another process runs the experiment. */
  busy: 4,
  interrupted: 130,
} as const;

const BY_ERROR: Readonly<Record<string, number>> = {
  [ERROR_NAMES.invalidInput]: EXIT.input,
  [ERROR_NAMES.notFound]: EXIT.input,
  [ERROR_NAMES.policyUnavailable]: EXIT.unavailable,
  [ERROR_NAMES.policyMalformed]: EXIT.unavailable,
  [ERROR_NAMES.sandboxUnavailable]: EXIT.unavailable,
  [ERROR_NAMES.serviceUnavailable]: EXIT.unavailable,
  [ERROR_NAMES.leaseHeld]: EXIT.busy,
};

/** Exit status of an error. An iteration that failed carries the name of its cause in `error`. */
export function exitCodeOf(error: unknown): number {
  const { name, error: cause } = error as { name?: string; error?: string };
  return BY_ERROR[cause ?? ''] ?? BY_ERROR[name ?? ''] ?? EXIT.negative;
}
