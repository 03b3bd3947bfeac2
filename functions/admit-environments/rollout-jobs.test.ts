import { expect, test } from 'vitest';
import { Admission, iterationKeys, ShardsOutput } from '../../shared/contracts/index.ts';
import { EXPERIMENT, experiment, LEVEL_TWO } from '../testing/objects.ts';
import { rolloutJobs } from './rollout-jobs.ts';

test('a job description of 300 kB travels as a key: what stands in the state stays small', () => {
  const environments = Array.from({ length: 1000 }, (_, index) => ({
    ...{ hash: index.toString(16).padStart(64, '0'), designIndex: index, turn: 0, skill: 'Optimization', title: 'T' },
    difficulty: LEVEL_TWO,
  }));
  const admission = Admission.parse({
    experiment: EXPERIMENT,
    iteration: 1,
    windowStart: 1,
    environments,
    refused: [],
  });
  const config = experiment((c) => ({
    ...c,
    agent: { ...c.agent, episodes: 16 },
    limits: { ...c.limits, environmentsPerShard: 1000 },
  }));
  const jobs = rolloutJobs(config, admission, 0);
  expect(jobs.map((job) => JSON.stringify(job).length > 300_000)).toEqual([true]);
  const output = { shards: jobs.map(({ shard }) => ({ shard, job: iterationKeys(EXPERIMENT, 1).rolloutJob(shard) })) };
  expect(JSON.stringify(ShardsOutput.parse(output)).length).toBeLessThan(100);
});
