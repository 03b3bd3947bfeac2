import { type Episode, PolicyUnavailable } from '../../shared/contracts/index.ts';

/** Episodes in a row without an answer of the policy, after which the rest would only wait in vain. */
const PATIENCE = 16;

/** Notices that the policy server as a whole is gone or unfit, rather than some episodes unlucky. */
export interface Breaker {
  /** @throws {PolicyUnavailable} when too many episodes in a row had no answer: the job stops and can be resumed */
  note(episode: Pick<Episode, 'outcome' | 'reason' | 'turns'>): void;
}

/** @param uri - of the policy, for the message */
export function createBreaker(uri: string, patience = PATIENCE): Breaker {
  let silent = 0;
  return {
    note({ outcome, reason, turns }) {
      const answered = outcome !== 'unresolved' || turns.length > 0;
      // A prompt that is too long says nothing about the server.
      if (reason === 'policy.prompt_too_long' || outcome === 'env_fault' || outcome === 'infra_lost') return;
      silent = answered ? 0 : silent + 1;
      if (silent >= patience) throw new PolicyUnavailable(uri, `${silent} episodes in a row had no answer (${reason})`);
    },
  };
}
