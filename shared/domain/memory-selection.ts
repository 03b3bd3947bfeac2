import type { Band, Difficulty, EnvironmentStatistics, ExperimentConfig, MemoryExample } from '../contracts/index.ts';
import type { Rng } from './seeds.ts';

export type MemoryConfig = ExperimentConfig['memory'];

/** What the memory returns of an environment; `source` is loaded only for those that were drawn. */
export interface MemoryCandidate {
  readonly environment: string;
  readonly title: string;
  readonly skill: string;
  readonly difficulty: Difficulty;
  readonly statistics: Pick<EnvironmentStatistics, 'winRate' | 'regret'> | null;
}

/**
 * Band of the regret index that an environment belongs to (M14), by its unhinted win rate: above `tooEasy` easy, below `tooHard`
 * hard, inside the frontier band frontier. Others (not played, between two bands, without regret) are never examples.
 */
export function bandOf(statistics: MemoryCandidate['statistics'], config: MemoryConfig): Band {
  const winRate = statistics?.winRate.unhinted ?? null;
  if (winRate === null) return 'other';
  if (winRate > config.tooEasy) return 'easy';
  if (winRate < config.tooHard) return 'hard';
  const inside = winRate >= config.frontier[0] && winRate <= config.frontier[1];
  return inside && statistics?.regret !== null ? 'frontier' : 'other';
}

/** How many of the top of the index a draw needs: max(poolFactor · n, poolMinimum) (M14). */
export function poolSize(examples: number, config: MemoryConfig): number {
  return examples === 0 ? 0 : Math.max(config.poolFactor * examples, config.poolMinimum);
}

/**
 * Draws the examples of one design request (M14): `highRegretExamples` from the top of the frontier by regret, then
 * `counterExamples` from those too easy or too hard. Fewer when the memory is young; the same seed draws the same.
 * @param frontier highest regret first, at most {@link poolSize} of them are looked at
 * @param counter easy and hard ones together
 */
export function drawExamples(
  frontier: readonly MemoryCandidate[],
  counter: readonly MemoryCandidate[],
  config: MemoryConfig,
  random: Rng,
): MemoryCandidate[] {
  if (!config.enabled) return [];
  const pool = frontier.slice(0, poolSize(config.highRegretExamples, config));
  return [...random.sample(pool, config.highRegretExamples), ...random.sample(counter, config.counterExamples)];
}

/** An environment as the designer sees it. @param source its program; cut to `codeCharacters` whole characters */
export function toExample(candidate: MemoryCandidate, source: string, config: MemoryConfig): MemoryExample {
  const winRate = candidate.statistics?.winRate.unhinted ?? 0;
  const band = bandOf(candidate.statistics, config);
  return {
    environment: candidate.environment,
    title: candidate.title,
    skill: candidate.skill,
    winRate,
    regret: candidate.statistics?.regret ?? 0,
    note: band === 'easy' ? 'too easy' : band === 'hard' ? 'too hard' : 'frontier',
    difficulty: candidate.difficulty,
    code: [...source].slice(0, config.codeCharacters).join(''),
  };
}
