import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderUri, homeOf } from '../local/home/layout.ts';
import { openStore } from '../shared/adapters/stores.ts';
import { environmentKeys, experimentKey, iterationKeys, NotFound } from '../shared/contracts/index.ts';
import { parseExperiment } from '../shared/domain/experiment-file.ts';
import type { Deployment } from './deployment.ts';
import { mirrorExperiment } from './mirror.ts';

const HASH = 'b'.repeat(64);
let folder: string;
let deployment: Deployment;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spade-mirror-'));
  const store = (name: string) => openStore(folderUri(join(folder, 'cloud', name)));
  const stores = {
    environments: store('environments'),
    episodes: store('episodes'),
    policies: store('policies'),
    corpora: store('corpora'),
  };
  deployment = { stage: 'test', variables: {}, stores } as unknown as Deployment;
});
afterEach(() => rmSync(folder, { recursive: true }));

const local = (store: 'episodes' | 'environments') =>
  openStore(folderUri(homeOf(join(folder, 'home'), 'demo').stores[store]));

async function play(): Promise<void> {
  const { episodes, environments } = deployment.stores;
  const config = parseExperiment('experiment: demo\nprofile: tiny\niterations: 2\n', 'demo.yaml');
  await episodes.put(experimentKey('demo'), JSON.stringify(config));
  const keys = iterationKeys('demo', 1);
  const level = { problemSize: 2, constraints: 2, modules: 2, uncertainty: 2, interactionLength: 2 };
  const environment = { hash: HASH, designIndex: 0, turn: 0, skill: 'Optimization', title: 'Sum', difficulty: level };
  await episodes.put(
    keys.admission,
    JSON.stringify({ experiment: 'demo', iteration: 1, windowStart: 1, environments: [environment], refused: [] }),
  );
  await episodes.put(keys.record, 'record');
  await episodes.put(keys.batch, 'large');
  for (const key of Object.values(environmentKeys('demo', HASH))) await environments.put(key, key);
}

test('brings what people look at and leaves what they do not', async () => {
  await play();
  await mirrorExperiment('demo', deployment, join(folder, 'home'));
  expect(await local('episodes').exists(iterationKeys('demo', 1).record)).toBe(true);
  expect(await local('environments').exists(environmentKeys('demo', HASH).source)).toBe(true);
  expect(await local('episodes').exists(iterationKeys('demo', 1).batch)).toBe(false);
});

test('an iteration that closes later is fetched later', async () => {
  await play();
  await mirrorExperiment('demo', deployment, join(folder, 'home'));
  await deployment.stores.episodes.put(iterationKeys('demo', 1).scores, 'scores');
  await mirrorExperiment('demo', deployment, join(folder, 'home'));
  expect(await local('episodes').exists(iterationKeys('demo', 1).scores)).toBe(true);
});

test('an experiment that is not there is named', async () => {
  await expect(mirrorExperiment('nobody', deployment, join(folder, 'home'))).rejects.toThrow(NotFound);
});
