import type { Arm, Episode, Outcome } from '../contracts/index.ts';

/** An episode for tests: played with a return, or ended otherwise. */
export function episodeFor(
  arm: Arm,
  index: number,
  result: number | Exclude<Outcome, 'played'>,
  over: Partial<Episode> = {},
): Episode {
  const played = typeof result === 'number';
  return {
    experiment: 'test',
    iteration: 1,
    environment: 'e'.repeat(64),
    arm,
    index,
    seed: 1000 + index,
    policyVersion: 0,
    outcome: played ? 'played' : result,
    reason: played ? null : result === 'env_fault' ? 'env.exception' : 'infra.killed',
    return: played ? result : null,
    rewards: played ? [result] : [],
    terminated: played,
    truncated: false,
    turns: [],
    sequences: [{ tokenIds: [1, 2, 3], mask: [0, 1, 1], logprobs: [0, -0.5, -0.25] }],
    sampler: { temperature: 1, topP: 1, topK: 0, maxTokens: 8 },
    ...over,
  };
}
