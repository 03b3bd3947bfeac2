import { ExperimentConfig, experimentKey } from '../shared/contracts/index.ts';
import type { Store } from '../shared/ports/index.ts';
import { readObject } from './objects.ts';

/**
 * The resolved configuration of an experiment, written once when it was created.
 * @param episodes the episodes store
 * @throws {NotFound} when the experiment was never created
 */
export function readExperiment(episodes: Store, experiment: string): Promise<ExperimentConfig> {
  return readObject(episodes, experimentKey(experiment), ExperimentConfig);
}
