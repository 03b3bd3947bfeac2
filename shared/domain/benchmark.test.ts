import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../contracts/index.ts';
import { benchmarkScore, type EvaluatedEpisode, parseBenchmark, sampleBenchmark } from './benchmark.ts';

const row = (id: string, skill = 'Optimization', level = 1, seeds = [1, 2]) => ({ id, skill, level, code: 'x', seeds });
const lines = (...rows: unknown[]) => rows.map((one) => JSON.stringify(one)).join('\n');

describe('parseBenchmark', () => {
  it.each([
    ['an empty file', ''],
    ['a broken line', `${lines(row('a'))}\n{`],
    ['a row without seeds', lines({ ...row('a'), seeds: [] })],
    ['an id that stands there twice', lines(row('a'), row('a'))],
  ])('refuses %s', (_, text) => {
    expect(() => parseBenchmark(text, 'pool.jsonl')).toThrow(InvalidInput);
  });

  it('names the line', () => {
    expect(() => parseBenchmark(`${lines(row('a'))}\n\n{`, 'pool.jsonl')).toThrow(/line 3/);
  });
});

describe('sampleBenchmark', () => {
  const rows = [row('a'), row('b', 'Optimization', 2, [1, 2, 3, 4]), row('c', 'Logical Deduction', 1, [5])];

  it('takes all with 0, and each stratum once before any twice', () => {
    expect(sampleBenchmark(rows, 0, 1)).toEqual(rows.map(({ id, skill, seeds }) => ({ id, skill, seeds })));
    expect(sampleBenchmark(rows, 3, 1).map(({ id, seeds }) => [id, seeds.length])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
  });

  it('has the size asked for, holds only planned seeds, and is drawn by its seed', () => {
    const pool = fc.uniqueArray(
      fc.record({ id: fc.string({ minLength: 1 }), level: fc.nat(3), seeds: fc.array(fc.nat(9), { minLength: 1 }) }),
      {
        selector: ({ id }) => id,
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(pool, fc.nat(30), fc.nat(), (raw, instances, seed) => {
        const all = raw.map(({ id, level, seeds }) => row(id, 'x', level, seeds));
        const total = all.reduce((sum, { seeds }) => sum + seeds.length, 0);
        const sample = sampleBenchmark(all, instances, seed);
        const size = sample.reduce((sum, { seeds }) => sum + seeds.length, 0);
        expect(size).toBe(instances === 0 ? total : Math.min(instances, total));
        for (const one of sample)
          expect(all.find(({ id }) => id === one.id)?.seeds).toEqual(expect.arrayContaining(one.seeds));
        expect(sampleBenchmark(all, instances, seed)).toEqual(sample);
      }),
    );
  });
});

describe('benchmarkScore', () => {
  const skills = new Map([
    ['a', 'Optimization'],
    ['b', 'Logical Deduction'],
  ]);
  const episodes = (environment: string, returns: (number | null)[]): EvaluatedEpisode[] =>
    returns.map((value) => ({ environment, outcome: value === null ? 'infra_lost' : 'played', return: value }));

  it('is the win rate over what was played, with √(p(1−p)/n), and by skill', () => {
    const played = [...episodes('a', [1, 1, 0]), ...episodes('b', [0, null])];
    expect(benchmarkScore(3, played, 5, skills, 0.5)).toEqual({
      policyVersion: 3,
      score: 0.5,
      standardError: 0.25,
      instances: 4,
      bySkill: { 'Logical Deduction': 0, Optimization: 2 / 3 },
    });
  });

  it('is nothing when less than half was played', () => {
    expect(benchmarkScore(3, episodes('a', [1, 1]), 5, skills, 0.5)).toBeNull();
    expect(benchmarkScore(3, [], 0, skills, 0.5)).toBeNull();
  });
});
