import { randomBytes } from 'node:crypto';

/*
 * Secrets that no program may ever show. Programs know their shape and search for it; only the suite knows their ends.
 */

const fresh = (owner: string): string => `spade-canary-${owner}-${randomBytes(8).toString('hex')}`;

/** Stands in the environment of the process that starts the sandbox. */
export const HOST_CANARY = fresh('host');
/** Stands in the source and in the actions of a neighbour. */
export const NEIGHBOUR_CANARY = fresh('neighbour');

/** Puts the host's secret where careless launching would leak it. To be called before the sandbox is started. */
export function plantCanary(): void {
  process.env.SPADE_CANARY = HOST_CANARY;
}

/** The secret that a text tells, if any. */
export function leakIn(text: string): 'host' | 'neighbour' | null {
  if (text.includes(HOST_CANARY)) return 'host';
  return text.includes(NEIGHBOUR_CANARY) ? 'neighbour' : null;
}

/** Python: a pattern that finds any such secret in bytes, and does not find itself. */
export const CANARY_PATTERN = 'rb"spade-can[a]ry-[a-z]+-[0-9a-f]{16}"';
