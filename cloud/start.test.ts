import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderUri } from '../local/home/layout.ts';
import { openStore } from '../shared/adapters/stores.ts';
import { InvalidInput, type IterationRequest, iterationKeys } from '../shared/contracts/index.ts';
import type { Deployment } from './deployment.ts';
import { startExperiment } from './index.ts';

let folder: string;
let sent: IterationRequest[];
let deployment: Deployment;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spade-start-'));
  sent = [];
  const store = (name: string) => openStore(folderUri(join(folder, name)));
  const names = ['environments', 'episodes', 'policies', 'corpora'] as const;
  const stores = Object.fromEntries(names.map((name) => [name, store(name)]));
  const queue = { send: async (request: IterationRequest) => void sent.push(request) };
  const table = { ledger: { requestStop: async () => undefined } };
  deployment = { stage: 'test', variables: {}, stores, queue, table } as unknown as Deployment;
  writeFileSync(join(folder, 'corpus.jsonl'), '{"text": "Numbers can be added in any order."}\n');
  const lines = ['experiment: demo', 'profile: tiny', 'iterations: 2', 'grounding: { corpus: corpus.jsonl }'];
  writeFileSync(join(folder, 'demo.yaml'), lines.concat('evaluation: { every: 0 }', '').join('\n'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('brings everything and asks for the first iteration without a record, in the first attempt that has not failed', async () => {
  const file = join(folder, 'demo.yaml');
  expect(await startExperiment({ file }, deployment)).toEqual({ experiment: 'demo', iteration: 1, attempt: 1 });
  expect(await deployment.stores.corpora.list('')).not.toEqual([]);
  expect(await deployment.stores.policies.exists('demo/v0000/manifest.json')).toBe(true);
  await deployment.stores.episodes.put(iterationKeys('demo', 1).record, '{}');
  await deployment.stores.episodes.put(iterationKeys('demo', 2).failure(1), '{}');
  expect(await startExperiment({ file }, deployment)).toEqual({ experiment: 'demo', iteration: 2, attempt: 2 });
  await deployment.stores.episodes.put(iterationKeys('demo', 2).record, '{}');
  expect(await startExperiment({ file }, deployment)).toBeNull();
  expect(sent).toHaveLength(2);
});

test('an experiment that cannot end below its cap is not begun', async () => {
  const file = join(folder, 'dear.yaml');
  writeFileSync(file, 'experiment: dear\nprofile: qwen3-30b-a3b\nbudget: { maxUsd: 1 }\n');
  await expect(startExperiment({ file }, deployment)).rejects.toThrow(InvalidInput);
  await expect(startExperiment({ file }, deployment)).rejects.toThrow(/budget.maxUsd: 1 is less than/);
  expect(await deployment.stores.episodes.list('')).toEqual([]);
  expect(sent).toEqual([]);
});
