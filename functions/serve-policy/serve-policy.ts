import {
  NotFound,
  PolicyManifest,
  policyKeys,
  policyModelName,
  type ServeInput,
  type ServeOutput,
  trainingJobName,
} from '../../shared/contracts/index.ts';
import type { PolicyHost, Progress, Stores } from '../../shared/ports/index.ts';
import { findObject } from '../objects.ts';

/** What phase 2 needs of the world. */
export interface ServeDeps {
  readonly stores: Pick<Stores, 'policies'>;
  readonly policyHost: Pick<PolicyHost, 'ensureServed'>;
  readonly progress: Progress;
}

/**
 * Phase 2, and the first step of phase 7: makes a policy version answer. Called again after a wait until it is ready.
 *
 * A published version is served from what its manifest names. A candidate has no manifest yet: it is served from the output
 * of this attempt's training job.
 * @throws {NotFound} when there are no weights for the version
 */
export async function servePolicy(input: ServeInput, deps: ServeDeps): Promise<ServeOutput> {
  const { experiment, iteration, policyVersion } = input;
  const model = policyModelName(experiment, policyVersion);
  const ready = await deps.policyHost.ensureServed(model, await weightsOf(input, deps));
  deps.progress.emit({
    phase: 'serve',
    experiment,
    iteration,
    done: ready ? 1 : 0,
    total: 1,
    numbers: { policyVersion },
  });
  return { ready, model };
}

/** Prefix of a version's files in the policies store. */
async function weightsOf(input: ServeInput, { stores }: ServeDeps): Promise<string> {
  const keys = policyKeys(input.experiment);
  const manifest = await findObject(stores.policies, keys.manifest(input.policyVersion), PolicyManifest);
  if (manifest !== null) return manifest.prefix;
  if (input.policyVersion !== input.iteration) throw new NotFound(keys.manifest(input.policyVersion));
  const trained = keys.trainedModel(trainingJobName(input.experiment, input.iteration, input.attempt));
  const files = await stores.policies.list(trained);
  if (files.length === 0) throw new NotFound(trained);
  return trained;
}
