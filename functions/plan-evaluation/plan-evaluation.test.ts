import { describe, expect, it } from 'vitest';
import { type ExperimentConfig, iterationKeys, RolloutJob } from '../../shared/contracts/index.ts';
import { memoryStores } from '../testing/memory-store.ts';
import { begin, EXPERIMENT, experiment, plan, putJson, readJson, UNSEEN } from '../testing/objects.ts';
import { planEvaluation } from './plan-evaluation.ts';

const ROWS = ['b1', 'b2', 'b3'].map((id) =>
  JSON.stringify({ id, skill: 'Optimization', level: 1, code: 'x', seeds: [1, 2] }),
);

async function shardsAt(iteration: number, trained: boolean, change?: (config: ExperimentConfig) => ExperimentConfig) {
  const stores = memoryStores();
  const config = experiment(change);
  await begin(stores, config);
  await stores.corpora.put(config.evaluation.benchmark, ROWS.join('\n'));
  await putJson(stores.episodes, iterationKeys(EXPERIMENT, iteration).plan, plan({ nextPolicyVersion: iteration }));
  const input = { experiment: EXPERIMENT, iteration, attempt: 1, trained };
  const { shards } = await planEvaluation(input, { stores, progress: UNSEEN });
  return shards.map(({ job }) => RolloutJob.parse(readJson(stores.episodes, job)));
}

describe('planEvaluation', () => {
  it('plays the candidate in the first, the last and every second iteration', async () => {
    const due = await Promise.all(
      [1, 2, 3, 4, 5].map(async (iteration) => (await shardsAt(iteration, true)).length > 0),
    );
    expect(due).toEqual([true, true, false, true, true]);
  });

  it('plays nothing when there is no candidate, or evaluation is off', async () => {
    expect(await shardsAt(2, false)).toEqual([]);
    expect(await shardsAt(5, true, (c) => ({ ...c, evaluation: { ...c.evaluation, every: 0 } }))).toEqual([]);
  });

  it('cuts the benchmark into shards for the candidate', async () => {
    const jobs = await shardsAt(2, true);
    expect(jobs.map(({ shard, kind, policyVersion }) => [shard, kind, policyVersion])).toEqual([
      [0, 'evaluate', 2],
      [1, 'evaluate', 2],
    ]);
    expect(jobs.flatMap(({ environments }) => environments.map(({ id, seeds }) => [id, ...seeds]))).toEqual([
      ['b1', 1, 2],
      ['b2', 1, 2],
      ['b3', 1, 2],
    ]);
  });

  it('plays the same sample in every iteration', async () => {
    const half = (c: ExperimentConfig) => ({ ...c, evaluation: { ...c.evaluation, instances: 3 } });
    const drawn = (jobs: RolloutJob[]) => jobs.flatMap(({ environments }) => environments);
    const [second, fourth] = [drawn(await shardsAt(2, true, half)), drawn(await shardsAt(4, true, half))];
    expect(fourth).toEqual(second);
    expect(second.reduce((total, { seeds }) => total + seeds.length, 0)).toBe(3);
  });
});
