import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStore } from '../../shared/adapters/stores.ts';
import { InvalidInput } from '../../shared/contracts/index.ts';
import { parseExperiment } from '../../shared/domain/experiment-file.ts';
import { fixExperiment } from './experiment.ts';
import { folderUri } from './layout.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spade-home-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const store = () => openStore(folderUri(folder));
const config = (changes = '') => parseExperiment(`experiment: demo\nprofile: tiny\n${changes}`, 'demo.yaml');

test('the same configuration goes on', async () => {
  await fixExperiment(config(), store());
  await expect(fixExperiment(config(), store())).resolves.toBeUndefined();
});

test('iterations and budget may be raised', async () => {
  await fixExperiment(config(), store());
  await fixExperiment(config('iterations: 9\nbudget: {maxUsd: 50}\n'), store());
  const stored = JSON.parse(Buffer.from(await store().get('demo/experiment.json')).toString());
  expect([stored.iterations, stored.budget.maxUsd]).toEqual([9, 50]);
});

test('any other change is refused with field and both values, and changes nothing', async () => {
  await fixExperiment(config(), store());
  const changed = fixExperiment(config('seed: 7\nagent: {episodes: 5}\n'), store());
  await expect(changed).rejects.toThrow(InvalidInput);
  await expect(changed).rejects.toThrow(
    /agent\.episodes was \d+, is now 5.*seed was 1, is now 7|seed was 1, is now 7.*agent\.episodes was \d+, is now 5/,
  );
  await expect(fixExperiment(config(), store())).resolves.toBeUndefined();
});
