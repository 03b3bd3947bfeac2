import type { Arm, EnvironmentStatistics, Scores } from '../../shared/contracts/index.ts';
import { countOutcomes, meanOrNull, playedReturns, type ScoredEpisode } from '../../shared/domain/statistics.ts';

/** The iteration's means over all of its episodes and environments (M28). */
export type Summary = Pick<Scores, 'episodes' | 'meanReturn' | 'winRate' | 'meanRegret' | 'flooredFraction'>;

/** Returns and win rates are means over episodes, regret over environments that have one. */
export function summarise(
  episodes: readonly ScoredEpisode[],
  statistics: readonly EnvironmentStatistics[],
  winThreshold: number,
): Summary {
  const returns = (arm: Arm) => playedReturns(episodes, arm);
  const wins = (arm: Arm) => returns(arm).map((value) => (value > winThreshold ? 1 : 0));
  const measured = statistics.filter(({ regret }) => regret !== null);
  return {
    episodes: countOutcomes(episodes),
    meanReturn: { hinted: meanOrNull(returns('hinted')), unhinted: meanOrNull(returns('unhinted')) },
    winRate: { hinted: meanOrNull(wins('hinted')), unhinted: meanOrNull(wins('unhinted')) },
    meanRegret: meanOrNull(measured.flatMap(({ regret }) => regret ?? [])),
    flooredFraction: meanOrNull(measured.map(({ floored }) => (floored ? 1 : 0))),
  };
}

/** Nothing to train, or more than half of the episodes lost to the host (cases T10). */
export function isDegraded(episodes: Scores['episodes'], samples: number): boolean {
  const total = Object.values(episodes).reduce((sum, count) => sum + count, 0);
  return samples === 0 || (episodes.infra_lost ?? 0) * 2 > total;
}
