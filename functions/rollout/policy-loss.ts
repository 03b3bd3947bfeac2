import { ERROR_NAMES, SpadeError } from '../../shared/contracts/index.ts';

/** Why an episode has no answer of the policy: recorded as the reason of its `unresolved` outcome. */
export type PolicyLoss = 'policy.unavailable' | 'policy.malformed' | 'policy.refused' | 'policy.prompt_too_long';

const LOSSES: Readonly<Record<string, PolicyLoss>> = {
  [ERROR_NAMES.policyUnavailable]: 'policy.unavailable',
  [ERROR_NAMES.policyMalformed]: 'policy.malformed',
  [ERROR_NAMES.promptTooLong]: 'policy.prompt_too_long',
  [ERROR_NAMES.invalidInput]: 'policy.refused',
};

/**
 * The reason code of a policy's error.
 *
 * @throws what is not one of the policy port's errors: that is a fault of this program
 */
export function policyLoss(error: unknown): PolicyLoss {
  const reason = error instanceof SpadeError ? LOSSES[error.name] : undefined;
  if (reason === undefined) throw error;
  return reason;
}
