import { isInfraReason, type ReasonCode } from '../contracts/reason-codes.ts';
import type { Reply } from './types.ts';

/** Longest detail in characters. */
const MAX_DETAIL = 300;
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A good reply. */
export function value<T>(result: T): Reply<T> {
  return { ok: true, value: result };
}

/** A reply without a value; the outcome follows from the reason. */
export function fault(reason: ReasonCode, detail: string): Extract<Reply<never>, { ok: false }> {
  const outcome = isInfraReason(reason) ? 'infra_lost' : 'env_fault';
  return { ok: false, outcome, reason, detail: oneLine(detail) };
}

/** A text of the program made fit for a log line and a prompt: one line, no control characters, bounded. */
export function oneLine(text: string, limit = MAX_DETAIL): string {
  return text.slice(0, limit).toWellFormed().replace(UNPRINTABLE, ' ');
}
