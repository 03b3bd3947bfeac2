import { folderUri, homeOf, makeHome } from '../local/home/layout.ts';
import { openStore } from '../shared/adapters/stores.ts';
import {
  Admission,
  ExperimentConfig,
  environmentKeys,
  experimentKey,
  iterationKeys,
} from '../shared/contracts/index.ts';
import type { Store } from '../shared/ports/index.ts';
import type { Deployment } from './deployment.ts';

/**
 * Brings what people look at from a deployment into a home: configuration, records, scores, admitted environments. Episodes and weights stay. Objects
 * never change once written, so only what is missing is fetched.
 * @throws {NotFound} when the deployment has no such experiment
 */
export async function mirrorExperiment(experiment: string, deployment: Deployment, folder: string): Promise<void> {
  const home = homeOf(folder, experiment);
  makeHome(home);
  const episodes = openStore(folderUri(home.stores.episodes));
  const environments = openStore(folderUri(home.stores.environments));
  const body = await deployment.stores.episodes.get(experimentKey(experiment));
  await episodes.put(experimentKey(experiment), body);
  const { iterations } = ExperimentConfig.parse(JSON.parse(new TextDecoder().decode(body)));
  for (let iteration = 1; iteration <= iterations; iteration++) {
    const keys = iterationKeys(experiment, iteration);
    if (!(await fetch(keys.admission, deployment.stores.episodes, episodes))) return;
    for (const key of [keys.scores, keys.publication, keys.record])
      await fetch(key, deployment.stores.episodes, episodes);
    await fetchEnvironments(
      experiment,
      await episodes.get(keys.admission),
      deployment.stores.environments,
      environments,
    );
  }
}

async function fetchEnvironments(experiment: string, admission: Uint8Array, from: Store, to: Store): Promise<void> {
  const { environments } = Admission.parse(JSON.parse(new TextDecoder().decode(admission)));
  for (const { hash } of environments) {
    const { source, hint, card } = environmentKeys(experiment, hash);
    // The card last: where it is, the rest is.
    for (const key of [source, hint, card]) await fetch(key, from, to);
  }
}

/** Whether the object is there now. */
async function fetch(key: string, from: Store, to: Store): Promise<boolean> {
  if (await to.exists(key)) return true;
  const body = await from.find(key);
  if (body !== null) await to.put(key, body);
  return body !== null;
}
