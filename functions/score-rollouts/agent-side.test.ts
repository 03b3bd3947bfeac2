import { expect, test } from 'vitest';
import { type Episode, iterationKeys, type RolloutJob } from '../../shared/contracts/index.ts';
import { memoryStores } from '../testing/memory-store.ts';
import { EXPERIMENT, episode, experiment, putEpisodes, putJson } from '../testing/objects.ts';
import { agentSide } from './agent-side.ts';

const HASH = 'a'.repeat(64);
const said = (index: number, ...texts: string[]): Episode => ({
  ...episode(HASH, 'unhinted', index, index, 1),
  turns: texts.map((text) => ({ observation: 'x', text, finishReason: 'stop' as const, reward: 0 })),
});

test('counts the kinds of answers over all turns', async () => {
  const { episodes: store } = memoryStores();
  const job: RolloutJob = {
    ...{ experiment: EXPERIMENT, iteration: 1, shard: 0, policyVersion: 0, kind: 'rollout' },
    environments: [{ id: HASH, sourceKey: 's', hintKey: 'h', seeds: [0, 1], skill: 'Optimization' }],
  };
  await putJson(store, iterationKeys(EXPERIMENT, 1).rolloutJob(0), job);
  await putEpisodes(store, 1, HASH, [
    said(0, '\\boxed{1}', 'hm', '<think>\\boxed{2}</think>\\boxed{3}'),
    said(1, '\\boxed{1} \\boxed{2}', '<think>so \\boxed{4}', '\\boxed{4'),
  ]);
  const { actions } = await agentSide(experiment(), 1, store);
  expect(actions).toEqual({ boxed: 2, plain: 1, 'several-boxed': 1, thought: 1, 'unclosed-boxed': 1 });
});
