import { expect, test } from 'vitest';
import { type Admission, iterationKeys, tableKeys } from '../../shared/contracts/index.ts';
import { DEFAULT_LIMITS } from '../../shared/sandbox/index.ts';
import { sourceFault } from '../../shared/sandbox/source.ts';
import { EXPERIMENT, experiment, LEVEL_TWO } from '../testing/objects.ts';
import { rolloutJobs } from './rollout-jobs.ts';

/** Step Functions: largest state input or output, bytes. */
const STATE_LIMIT = 262_144;

/** One window of so many environments. */
function admissionOf(count: number): Admission {
  const environments = Array.from({ length: count }, (_, designIndex) => ({
    ...{ hash: designIndex.toString(16).padStart(64, '0'), designIndex, turn: 0 },
    ...{ skill: 'Optimization', title: 'GameEnv', difficulty: LEVEL_TWO },
  }));
  return { experiment: EXPERIMENT, iteration: 1, windowStart: 1, environments, refused: [] };
}

test('a map over a thousand shards stays within a state', () => {
  const config = experiment((c) => ({ ...c, limits: { ...c.limits, environmentsPerShard: 1 } }));
  const keys = iterationKeys(EXPERIMENT, 1);
  const shards = rolloutJobs(config, admissionOf(1000), 0).map(({ shard }) => ({ shard, job: keys.rolloutJob(shard) }));
  expect(shards).toHaveLength(1000);
  expect(Buffer.byteLength(JSON.stringify({ shards }))).toBeLessThan(STATE_LIMIT);
});

test('a source is bounded in bytes, wherever the bound is set', () => {
  const source = (bytes: number) => `class AEnv: pass\n#${'é'.repeat((bytes - 18) / 2)}`;
  expect(sourceFault(source(390_000), DEFAULT_LIMITS)?.reason).toBe('source.too_large');
  const limits = { ...DEFAULT_LIMITS, sourceBytes: 400_000 };
  expect(sourceFault(source(390_000), limits)).toBeUndefined();
  expect(sourceFault(source(410_000), limits)?.reason).toBe('source.too_large');
});

test('a skill of any characters is one part of a key', () => {
  const key = tableKeys.skill(EXPERIMENT, '🎲 maths #2/b').SK;
  expect(key).toMatch(/^SKILL#[\w%.~-]+$/);
  expect(tableKeys.byRegret(EXPERIMENT, '🎲 #', 'frontier').split('#')).toHaveLength(5);
});
