import { setTimeout as wait } from 'node:timers/promises';
import { PolicyUnavailable } from '../../contracts/index.ts';

/** One try: a value, or why another one may succeed. What cannot get better is thrown. */
export type Attempt<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly reason: string;
      /** What the server asked for (Retry-After), milliseconds. */
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    };

/** How often and how patiently a call is made again. */
export interface RetryPolicy {
  /** Tries in all, at least 1. */
  readonly maxAttempts: number;
  /** Uniform in [0, 1); injectable so that tests are exact. */
  readonly random: () => number;
  /** Waits; rejects when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** First ceiling of the wait, doubled by every further attempt. */
const BASE_MS = 200;
/** No wait is longer, whatever the server asks for: the budget of a call stays bounded. */
const LONGEST_MS = 30_000;

export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 6,
  random: Math.random,
  sleep: (ms, signal) => wait(ms, undefined, signal && { signal }),
};

/**
 * Calls until it succeeds, with exponential backoff and full jitter (a uniform draw below the ceiling, so that 500 episodes which failed
 * together do not come back together). A server's Retry-After is added as the least wait.
 *
 * @throws {PolicyUnavailable} naming the last reason and the number of attempts, or that the caller gave up
 */
export async function withRetries<T>(
  uri: string,
  policy: RetryPolicy,
  attempt: () => Promise<Attempt<T>>,
  signal?: AbortSignal,
): Promise<T> {
  for (let n = 1; ; n += 1) {
    if (signal?.aborted) throw new PolicyUnavailable(uri, 'the caller gave up', { cause: signal.reason });
    const result = await attempt();
    if (result.ok) return result.value;
    if (n >= policy.maxAttempts) {
      throw new PolicyUnavailable(uri, `${result.reason} (attempt ${n} of ${policy.maxAttempts})`, {
        cause: result.cause,
      });
    }
    await pause(policy, delay(policy, n, result.retryAfterMs ?? 0), signal);
  }
}

function delay(policy: RetryPolicy, attempt: number, leastMs: number): number {
  const jitter = policy.random() * Math.min(LONGEST_MS, BASE_MS * 2 ** (attempt - 1));
  return Math.min(LONGEST_MS, leastMs + jitter);
}

/** An abort ends the wait; the loop then sees the signal. */
async function pause(policy: RetryPolicy, ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await policy.sleep(ms, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/**
 * Milliseconds that a Retry-After header asks for: seconds, or an HTTP date.
 *
 * @param now - wall clock in milliseconds, for dates
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
