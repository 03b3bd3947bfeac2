import { InvalidInput } from '../contracts/index.ts';

/** `mean-centred`: return − group mean, as the released recipe; `zscore`: divided by the group's standard deviation as well. */
export type AdvantageKind = 'mean-centred' | 'zscore';

export interface GroupOptions {
  readonly kind: AdvantageKind;
  /** Episodes that the group was planned with. */
  readonly planned: number;
  /** Groups with fewer than this fraction of the planned episodes are dropped. */
  readonly minimumFraction: number;
}

/** Advantages in the order of the returns, or why the group teaches nothing. */
export type GroupAdvantages =
  | { readonly kept: true; readonly advantages: readonly number[] }
  | { readonly kept: false; readonly reason: 'zero-spread' | 'short' };

/** Returns closer than this are equal: 0.1 + 0.2 and 0.3 (cases T16). */
export const SPREAD_TOLERANCE = 1e-12;

/**
 * Credit of each episode against its group: the `played` unhinted episodes of one environment in one iteration (method §7).
 *
 * Groups of fewer than two returns, or fewer than `minimumFraction · planned`, are `short`; groups whose returns are all equal
 * are `zero-spread`. Both are dropped and counted, and never enter a denominator. Z-scores divide by the population
 * standard deviation; no epsilon is needed, since a kept group has spread. Units: returns, or standard deviations.
 * @throws {InvalidInput} for a return that is not finite
 * @example groupAdvantages([1, 0], { kind: 'mean-centred', planned: 2, minimumFraction: 0.5 }) // { kept: true, advantages: [0.5, -0.5] }
 */
export function groupAdvantages(returns: readonly number[], options: GroupOptions): GroupAdvantages {
  const odd = returns.find((value) => !Number.isFinite(value));
  if (odd !== undefined) throw new InvalidInput('returns', [`${odd} is not finite`]);
  const size = returns.length;
  if (size < 2 || size < options.planned * options.minimumFraction) return { kept: false, reason: 'short' };
  if (range(returns) <= SPREAD_TOLERANCE) return { kept: false, reason: 'zero-spread' };
  const mean = returns.reduce((total, value) => total + value, 0) / size;
  const centred = returns.map((value) => value - mean);
  if (options.kind === 'mean-centred') return { kept: true, advantages: centred };
  const deviation = Math.sqrt(centred.reduce((total, value) => total + value ** 2, 0) / size);
  return { kept: true, advantages: centred.map((value) => value / deviation) };
}

function range(values: readonly number[]): number {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high - low;
}
