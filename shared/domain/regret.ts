import type { Episode } from '../contracts/index.ts';

/** Returns of one seed played in both arms. */
export interface ReturnPair {
  readonly hinted: number;
  readonly unhinted: number;
}

export interface Regret {
  /** In [0, 2]; null when no seed was played in both arms. */
  readonly value: number | null;
  /** Whether the difference was below 0 and became 0 (M8). */
  readonly floored: boolean;
  readonly pairs: number;
}

/**
 * Regret of one environment: mean return with the hint minus mean return without it, over the same seeds (M5), floored at 0 (M8).
 * High at the agent's frontier; near 0 for what is too easy, or impossible even with help.
 * @example regret([{ hinted: 1, unhinted: 0 }, { hinted: 1, unhinted: 1 }]) // { value: 0.5, floored: false, pairs: 2 }
 */
export function regret(pairs: readonly ReturnPair[]): Regret {
  if (pairs.length === 0) return { value: null, floored: false, pairs: 0 };
  const difference = mean(pairs.map((pair) => pair.hinted)) - mean(pairs.map((pair) => pair.unhinted));
  return { value: Math.min(2, Math.max(0, difference)), floored: difference < 0, pairs: pairs.length };
}

/** What {@link matchedPairs} reads of an episode. */
export type PairedEpisode = Pick<Episode, 'iteration' | 'index' | 'seed' | 'arm' | 'outcome' | 'return'>;

/**
 * The pairs of one environment's episodes: same iteration, index and seed, both arms `played`. What one arm lost is left out of
 * the other as well, so that a lost or faulty episode can never raise regret (cases T10).
 */
export function matchedPairs(episodes: readonly PairedEpisode[]): ReturnPair[] {
  const arms = { hinted: new Map<string, number>(), unhinted: new Map<string, number>() };
  for (const episode of episodes) {
    if (episode.outcome !== 'played' || episode.return === null) continue;
    arms[episode.arm].set(`${episode.iteration}/${episode.index}/${episode.seed}`, episode.return);
  }
  return [...arms.hinted].flatMap(([key, hinted]) => {
    const unhinted = arms.unhinted.get(key);
    return unhinted === undefined ? [] : [{ hinted, unhinted }];
  });
}

/** Arithmetic mean of at least one number. */
function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}
