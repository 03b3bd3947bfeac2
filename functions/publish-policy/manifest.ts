import { createHash } from 'node:crypto';
import { type ExperimentConfig, NotFound, PolicyManifest, policyKeys } from '../../shared/contracts/index.ts';
import type { Store } from '../../shared/ports/index.ts';
import { writeOnce } from '../objects.ts';
import type { Candidate } from './candidate.ts';

/** Place of a version in its line. */
export interface VersionLine {
  readonly iteration: number;
  readonly version: number;
  readonly parent: number;
}

/**
 * Publishes a version: its manifest names and hashes every file and is written last, so a version is there as a whole or not at all
 * (cases T18). A manifest that is already there was written by an earlier run of this phase, and stays.
 * @throws {NotFound} when the training job left no weights
 */
export async function writeManifest(
  config: ExperimentConfig,
  { iteration, version, parent }: VersionLine,
  { jobName, summary }: Candidate,
  policies: Store,
): Promise<PolicyManifest> {
  const { experiment } = config;
  const keys = policyKeys(experiment);
  const prefix = keys.trainedModel(jobName);
  const files = await hashFiles(prefix, policies);
  if (files.length === 0) throw new NotFound(prefix);
  const state = keys.trainingState(jobName);
  const stateFiles = await policies.list(state);
  return writeOnce(policies, keys.manifest(version), PolicyManifest, {
    experiment,
    version,
    parent,
    iteration,
    format: config.training.loraRank > 0 ? 'adapter' : 'huggingface',
    prefix,
    files,
    trainingState: stateFiles.length > 0 ? state : null,
    training: summary,
  });
}

/** One file after the other, piece by piece: a shard of weights is larger than a function's memory. */
async function hashFiles(prefix: string, policies: Store): Promise<PolicyManifest['files']> {
  const files: PolicyManifest['files'] = [];
  for (const key of await policies.list(prefix)) {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of policies.chunks(key)) {
      hash.update(chunk);
      bytes += chunk.byteLength;
    }
    files.push({ path: key.slice(prefix.length), bytes, sha256: hash.digest('hex') });
  }
  return files;
}
