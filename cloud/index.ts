import { dirname, resolve } from 'node:path';
import { fixExperiment } from '../local/home/experiment.ts';
import { importCorpora, importPolicy } from '../local/home/imports.ts';
import { readExperimentFile } from '../local/index.ts';
import { InvalidInput, type IterationRequest, iterationKeys } from '../shared/contracts/index.ts';
import { estimate } from '../shared/domain/cost/index.ts';
import { isRefused } from './budget.ts';
import type { Deployment } from './deployment.ts';

export { type Deployment, openDeployment } from './deployment.ts';

export interface StartOptions {
  /** Experiment file (YAML). */
  readonly file: string;
  readonly iterations?: number;
  readonly seed?: number;
}

/**
 * Starts an experiment in a deployment, or goes on with it: corpus, benchmark and first policy into the stores, the configuration fixed, and the
 * request of the first iteration without a record on the queue. Everything else happens by events.
 *
 * @returns the request, or null when the experiment has all its iterations
 * @throws {InvalidInput} for a wrong file, one that differs from what the experiment was begun with, or one whose cap is below what it costs
 *   at least
 */
export async function startExperiment(options: StartOptions, deployment: Deployment): Promise<IterationRequest | null> {
  const config = readExperimentFile(options);
  const expected = estimate(config);
  if (isRefused(expected, config)) {
    throw new InvalidInput(options.file, [
      `budget.maxUsd: ${config.budget.maxUsd} is less than the ${expected.experiment.low.toFixed(2)} USD that the experiment ` +
        'costs at least (spade estimate); raise it, or lower iterations',
    ]);
  }
  const { stores, queue, table } = deployment;
  const base = dirname(resolve(options.file));
  await fixExperiment(config, stores.episodes);
  await importCorpora(config, base, stores.corpora);
  await importPolicy(config, base, stores.policies);
  await table.ledger.requestStop(config.experiment, false);
  const request = await nextRequest(config.experiment, config.iterations, deployment);
  if (request !== null) await queue.send(request);
  return request;
}

/** The first iteration without a record, in the first attempt that has not failed. */
async function nextRequest(
  experiment: string,
  iterations: number,
  { stores }: Deployment,
): Promise<IterationRequest | null> {
  let iteration = 1;
  while (await stores.episodes.exists(iterationKeys(experiment, iteration).record)) iteration += 1;
  if (iteration > iterations) return null;
  let attempt = 1;
  while (await stores.episodes.exists(iterationKeys(experiment, iteration).failure(attempt))) attempt += 1;
  return { experiment, iteration, attempt };
}

/** Asks an experiment to stop before its next iteration. What it bills by the hour goes when that iteration closes. */
export async function stopExperiment(experiment: string, { table }: Deployment): Promise<void> {
  await table.ledger.requestStop(experiment, true);
}
