import { ENVIRONMENT_VARIABLES } from '../../contracts/index.ts';
import type { Policy, PolicyHost } from '../../ports/index.ts';
import { once } from '../once.ts';
import { openStore } from '../stores.ts';
import { locationOf } from '../uri.ts';
import { requiredVariable, type Variables } from '../variables.ts';
import { createHttpPolicyHost } from './host-http.ts';
import { createHttpPolicy, type HttpPolicyOptions } from './http.ts';

/** How any policy is called; see {@link HttpPolicyOptions}. */
export type PolicyOptions = Pick<HttpPolicyOptions, 'requestTimeoutMs' | 'maxAttempts'>;

/**
 * The policy at a URI: `http(s)://host/v1`, or `sagemaker://endpoint[/component]` (see `policy/sagemaker.ts`).
 *
 * @throws {InvalidInput} for any other URI
 */
export function openPolicy(uri: string, options: PolicyOptions = {}): Policy {
  const { scheme, location } = locationOf(uri, 'policy', ['http', 'https', 'sagemaker']);
  if (scheme !== 'sagemaker') return createHttpPolicy(uri.replace(/\/+$/, ''), options);
  const policy = once(async () => (await import('./sagemaker.ts')).openSageMakerPolicy(location, options));
  return {
    complete: async (request) => (await policy()).complete(request),
    score: async (model, tokenIds) => (await policy()).score(model, tokenIds),
  };
}

/**
 * The host of the policy at a URI.
 *
 * @param env - names the policies store; for SageMaker also what an endpoint is made of (see `policy/host-sagemaker.ts`)
 * @throws {InvalidInput} for any other URI, or a variable that is missing
 */
export function openPolicyHost(uri: string, env: Variables, options: PolicyOptions = {}): PolicyHost {
  const { scheme, location } = locationOf(uri, 'policy', ['http', 'https', 'sagemaker']);
  if (scheme !== 'sagemaker')
    return createHttpPolicyHost(
      uri.replace(/\/+$/, ''),
      openStore(requiredVariable(env, ENVIRONMENT_VARIABLES.policies)),
      options,
    );
  const host = once(async () => (await import('./host-sagemaker.ts')).openSageMakerPolicyHost(location, env));
  return {
    ensureServed: async (model, prefix) => (await host()).ensureServed(model, prefix),
    release: async (experiment) => (await host()).release(experiment),
  };
}
