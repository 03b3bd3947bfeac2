import { InvalidInput } from '../contracts/index.ts';

/** `final`: what the last step paid; `sum`: what all steps paid (M21). */
export type Scoring = 'final' | 'sum';

/**
 * Return of a played episode.
 *
 * `final` (M7): the final step's reward clamped to [−1, 1] when the program terminated, else 0, so that an episode cut by
 * its turn limit is neither a win nor a loss. `sum`: all rewards added, then clamped, terminated or not.
 * An episode without steps has return 0.
 * @throws {InvalidInput} for a reward that is not finite: that is an `env_fault`, never a return
 * @example episodeReturn({ rewards: [0.2, 1.7], terminated: true }, 'final') // 1
 */
export function episodeReturn(
  episode: { readonly rewards: readonly number[]; readonly terminated: boolean },
  scoring: Scoring,
): number {
  const { rewards, terminated } = episode;
  const odd = rewards.find((reward) => !Number.isFinite(reward));
  if (odd !== undefined) throw new InvalidInput('rewards', [`${odd} is not finite; the episode is a fault`]);
  if (scoring === 'sum') return clampReturn(rewards.reduce((total, reward) => total + reward, 0));
  return terminated ? clampReturn(rewards.at(-1) ?? 0) : 0;
}

function clampReturn(value: number): number {
  return Math.min(1, Math.max(-1, value)) + 0;
}
