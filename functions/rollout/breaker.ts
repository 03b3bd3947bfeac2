import { type Episode, PolicyUnavailable } from '../../shared/contracts/index.ts';

/** Episodes in a row without an answer of the policy, after which the rest would only wait in vain. */
const PATIENCE = 16;

/** Notices that the policy server as a whole is gone or unfit, rather than some episodes unlucky. */
export interface Breaker {
  /** @throws {PolicyUnavailable} when too many episodes in a row had no answer: the job stops and can be resumed */
  note(episode: Pick<Episode, 'outcome' | 'reason' | 'turns'>): void;
}

/**
 * @param uri - of the policy, for the message
 * @param episodes - of the job: when all of a small job had no answer, that is enough
 */
export function createBreaker(uri: string, episodes: number): Breaker {
  const patience = Math.min(PATIENCE, episodes);
  let silent = 0;
  return {
    note(episode) {
      // A prompt that is too long, a fault or a lost host says nothing about the server.
      if (episode.outcome !== 'played' && !isUnanswered(episode)) return;
      silent = isUnanswered(episode) && episode.turns.length === 0 ? silent + 1 : 0;
      if (silent < patience) return;
      throw new PolicyUnavailable(uri, `${silent} episodes in a row had no answer (${episode.reason})`);
    },
  };
}

/** Whether the server left the episode without an answer; with a healthy server it may end otherwise. */
export function isUnanswered({ outcome, reason }: Pick<Episode, 'outcome' | 'reason'>): boolean {
  return outcome === 'unresolved' && reason !== 'policy.prompt_too_long';
}
