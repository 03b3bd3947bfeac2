import { type Arm, type EnvironmentStatistics, type Episode, InvalidInput, type Outcome } from '../contracts/index.ts';
import { matchedPairs, regret } from './regret.ts';
import { type AnsweredEpisode, isSecretOnly, unshownAnswer } from './secret-only.ts';

/** What {@link environmentStatistics} reads of an episode. */
export type ScoredEpisode = Pick<
  Episode,
  'iteration' | 'index' | 'seed' | 'arm' | 'outcome' | 'reason' | 'return' | 'terminated'
> &
  Pick<AnsweredEpisode, 'unshownAnswer'>;

/** Keeps of an episode what statistics need; the turns and token records of a whole window would not fit into memory. */
export function scoredEpisode(episode: Episode): ScoredEpisode {
  const { iteration, index, seed, arm, outcome, reason, terminated, turns } = episode;
  const kept = { iteration, index, seed, arm, outcome, reason, terminated, return: episode.return };
  return { ...kept, unshownAnswer: unshownAnswer(turns) };
}

/** Notes on how an environment was played; they never refuse it by themselves. */
export const PLAY_FLAGS = {
  /** The hint is worth everything and play without it nothing, by an answer that is shown nowhere: the hint may simply hold a secret. */
  secretOnly: 'regret.secret_only',
  /** Faults far more often in one arm than in the other, or in place of every loss: the program may crash on purpose. */
  selectiveFaults: 'fault.selective',
  /** Some seeds always won, the others never, in both arms: won by luck of the seed. */
  bimodal: 'seed.bimodal',
} as const;

/**
 * What play measured of one environment (M14, M28): means and win rates per arm over `played` episodes, regret over matched
 * seeds, outcomes, and flags.
 * @param winThreshold a return above this is a win
 */
export function environmentStatistics(
  environment: string,
  episodes: readonly ScoredEpisode[],
  winThreshold: number,
): EnvironmentStatistics {
  const returns = {
    hinted: playedReturns(episodes, 'hinted'),
    unhinted: playedReturns(episodes, 'unhinted'),
  };
  const measured = regret(matchedPairs(episodes));
  const rate = (values: readonly number[]) => meanOrNull(values.map((value) => (value > winThreshold ? 1 : 0)));
  return {
    environment,
    meanReturn: { hinted: meanOrNull(returns.hinted), unhinted: meanOrNull(returns.unhinted) },
    winRate: { hinted: rate(returns.hinted), unhinted: rate(returns.unhinted) },
    regret: measured.value,
    floored: measured.floored,
    pairs: measured.pairs,
    episodes: countOutcomes(episodes),
    timedOut: episodes.some((episode) => episode.outcome === 'env_fault' && isTimeout(episode.reason)),
    flags: playFlags(episodes, winThreshold),
  };
}

/** Returns of the played episodes of one arm, in the order given. */
export function playedReturns(episodes: readonly ScoredEpisode[], arm: Arm): number[] {
  return episodes.flatMap((episode) =>
    episode.arm === arm && episode.outcome === 'played' && episode.return !== null ? [episode.return] : [],
  );
}

/** How many episodes ended in each of the four outcomes (M6). */
export function countOutcomes(episodes: readonly Pick<Episode, 'outcome'>[]): Record<Outcome, number> {
  const counts: Record<Outcome, number> = { played: 0, env_fault: 0, infra_lost: 0, unresolved: 0 };
  for (const episode of episodes) counts[episode.outcome] += 1;
  return counts;
}

/** Mean, or null of nothing. */
export function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0) / values.length;
}

/**
 * Wilson score interval: where the true rate may lie, given k successes in n trials. Used rather than k/n ± error because n is
 * small and k/n is often 0 or 1. Source: E. B. Wilson, JASA 22 (1927) 209–212. `z` in standard normal deviates (1.96 for 95 %).
 * @throws {InvalidInput} unless n is a positive integer and k an integer in 0..n
 * @example wilsonInterval(5, 10) // [0.2366, 0.7634]
 */
export function wilsonInterval(k: number, n: number, z = 1.96): readonly [low: number, high: number] {
  assertCounts(k, n);
  const rate = k / n;
  const shrink = 1 + z ** 2 / n;
  const centre = (rate + z ** 2 / (2 * n)) / shrink;
  const half = (z * Math.sqrt((rate * (1 - rate)) / n + z ** 2 / (4 * n ** 2))) / shrink;
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

/**
 * Standard error of a win rate, √(p(1−p)/n).
 * @throws {InvalidInput} unless n is a positive integer and k an integer in 0..n
 */
export function standardError(k: number, n: number): number {
  assertCounts(k, n);
  return Math.sqrt(((k / n) * (1 - k / n)) / n);
}

function assertCounts(k: number, n: number): void {
  if (Number.isInteger(n) && n > 0 && Number.isInteger(k) && k >= 0 && k <= n) return;
  throw new InvalidInput('counts', [`${k} of ${n}: n must be a positive integer and k an integer in 0..n`]);
}

function isTimeout(reason: string | null): boolean {
  return reason?.startsWith('timeout.') ?? false;
}

/** Flags need this many observations: fewer say nothing. */
const ENOUGH = 4;

function playFlags(episodes: readonly ScoredEpisode[], winThreshold: number): string[] {
  const flags: string[] = [];
  const hinted = playedReturns(episodes, 'hinted').map((value) => value > winThreshold);
  const unhinted = playedReturns(episodes, 'unhinted').map((value) => value > winThreshold);
  if (isSecretOnly(episodes, winThreshold)) flags.push(PLAY_FLAGS.secretOnly);
  const faults = episodes.filter((episode) => episode.outcome === 'env_fault').length;
  const neverLost = hinted.length + unhinted.length >= ENOUGH && [...hinted, ...unhinted].every(Boolean);
  const uneven = Math.abs(faultRate(episodes, 'hinted') - faultRate(episodes, 'unhinted')) >= 0.5;
  if (uneven || (neverLost && faults >= ENOUGH)) flags.push(PLAY_FLAGS.selectiveFaults);
  if (isBimodal(episodes, winThreshold)) flags.push(PLAY_FLAGS.bimodal);
  return flags;
}

/** Share of env faults among episodes that the program ended, one way or the other; 0 with fewer than {@link ENOUGH}. */
function faultRate(episodes: readonly ScoredEpisode[], arm: Arm): number {
  const ended = episodes.filter((e) => e.arm === arm && (e.outcome === 'played' || e.outcome === 'env_fault'));
  if (ended.length < ENOUGH) return 0;
  return ended.filter((e) => e.outcome === 'env_fault').length / ended.length;
}

/** Both arms agree on every seed, some seeds are won and some are not, and there are enough of each. */
function isBimodal(episodes: readonly ScoredEpisode[], winThreshold: number): boolean {
  const pairs = matchedPairs(episodes);
  const won = pairs.filter((pair) => pair.hinted > winThreshold && pair.unhinted > winThreshold).length;
  const lost = pairs.filter((pair) => pair.hinted <= winThreshold && pair.unhinted <= winThreshold).length;
  return won + lost === pairs.length && won >= ENOUGH && lost >= ENOUGH;
}
