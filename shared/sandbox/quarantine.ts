import type { ReasonCode } from '../contracts/reason-codes.ts';

/** Faults that cost the host a process or a deadline; a raised exception costs nothing and does not count. */
const COSTLY = ['timeout.', 'crash.', 'policy.syscall', 'protocol.', 'limit.'];
/** Programs remembered; the oldest is forgotten first. */
const REMEMBERED = 4096;

/** Programs, by hash of their source, that wasted the host's time so often that they are not started again. */
export class Quarantine {
  readonly #after: number;
  readonly #faults = new Map<string, number>();

  /** @param after costly faults that bring a program in */
  public constructor(after: number) {
    this.#after = after;
  }

  public holds(hash: string): boolean {
    return (this.#faults.get(hash) ?? 0) >= this.#after;
  }

  public count(hash: string, reason: ReasonCode): void {
    if (!COSTLY.some((prefix) => reason.startsWith(prefix))) return;
    this.#faults.set(hash, (this.#faults.get(hash) ?? 0) + 1);
    if (this.#faults.size > REMEMBERED)
      for (const oldest of this.#faults.keys()) return void this.#faults.delete(oldest);
  }
}
