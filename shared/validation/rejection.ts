import type { ReasonCode } from '../contracts/reason-codes.ts';
import type { Evidence } from '../contracts/verdict.ts';
import type { Reply } from '../sandbox/types.ts';

const MAX_EXCERPT = 200;

/** A layer refused the program. Travels as an exception inside this folder and becomes a line of the card. */
export class Rejection extends Error {
  public override readonly name = 'Rejection';
  public readonly reason: ReasonCode;
  public readonly evidence: Evidence;

  public constructor(reason: ReasonCode, detail: string, evidence: Evidence = {}) {
    super(detail);
    this.reason = reason;
    this.evidence = evidence;
  }
}

/** The host failed, so nothing can be said about the program. */
export class HostFailure extends Error {
  public override readonly name = 'HostFailure';
  public readonly reason: ReasonCode;

  public constructor(reason: ReasonCode, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** A text short enough for a card. */
export function excerpt(text: string): string {
  const cut = text.slice(0, MAX_EXCERPT).toWellFormed();
  return cut.length < text.length ? `${cut}…` : cut;
}

/**
 * The value of a reply.
 * @throws {Rejection} for a fault of the program, with `evidence`
 * @throws {HostFailure} for a fault of the host
 */
export function need<T>(reply: Reply<T>, evidence: Evidence = {}): T {
  if (reply.ok) return reply.value;
  if (reply.outcome === 'infra_lost') throw new HostFailure(reply.reason, reply.detail);
  throw new Rejection(reply.reason, reply.detail, { ...evidence, excerpt: excerpt(reply.detail) });
}
