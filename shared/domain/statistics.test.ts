import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EnvironmentStatistics } from '../contracts/index.ts';
import { environmentStatistics, PLAY_FLAGS, standardError, wilsonInterval } from './statistics.ts';
import { episodeFor } from './testing.ts';

const HASH = 'a'.repeat(64);
const both = (index: number, hinted: Parameters<typeof episodeFor>[2], unhinted: Parameters<typeof episodeFor>[2]) => [
  episodeFor('hinted', index, hinted),
  episodeFor('unhinted', index, unhinted),
];

describe('environmentStatistics', () => {
  it('measures the group of cases T10: three wins, two losses, a crash, a lost sandbox, a late one', () => {
    const unhinted = [1, 1, 1, 0, 0, 'env_fault', 'infra_lost', 'unresolved'] as const;
    const episodes = unhinted.flatMap((result, index) => both(index, 1, result));
    const statistics = environmentStatistics(HASH, episodes, 0.5);
    expect(statistics.winRate.unhinted).toBeCloseTo(0.6, 12);
    expect(statistics.meanReturn.hinted).toBe(1);
    expect(statistics.pairs).toBe(5);
    expect(statistics.regret).toBeCloseTo(0.4, 12);
    expect(statistics.episodes).toEqual({ played: 13, env_fault: 1, infra_lost: 1, unresolved: 1 });
    expect(EnvironmentStatistics.parse(statistics)).toEqual(statistics);
  });

  it('knows nothing when everything was lost: no win rate, no regret', () => {
    const statistics = environmentStatistics(
      HASH,
      [0, 1].flatMap((i) => both(i, 'infra_lost', 'infra_lost')),
      0.5,
    );
    expect(statistics.winRate).toEqual({ hinted: null, unhinted: null });
    expect(statistics.regret).toBeNull();
  });

  it('counts a return at the threshold as no win', () => {
    expect(environmentStatistics(HASH, both(0, 0.5, 0.51), 0.5).winRate).toEqual({ hinted: 0, unhinted: 1 });
  });

  it('sees deadlines that the program exceeded', () => {
    const slow = episodeFor('unhinted', 0, 'env_fault', { reason: 'timeout.step' });
    expect(environmentStatistics(HASH, [slow], 0.5).timedOut).toBe(true);
    expect(environmentStatistics(HASH, [episodeFor('unhinted', 0, 'env_fault')], 0.5).timedOut).toBe(false);
  });

  it('flags selective faults and seeds that decide', () => {
    const flags = (...episodes: ReturnType<typeof both>) => environmentStatistics(HASH, episodes, 0.5).flags;
    const seeds = [0, 1, 2, 3, 4, 5, 6, 7];
    expect(flags(...seeds.flatMap((i) => both(i, 1, 0)))).toEqual([]);
    expect(flags(...seeds.flatMap((i) => both(i, i % 2, 'env_fault')))).toEqual([PLAY_FLAGS.selectiveFaults]);
    expect(flags(...seeds.flatMap((i) => both(i, i % 2 ? 1 : 'env_fault', i % 2 ? 1 : 'env_fault')))).toEqual([
      PLAY_FLAGS.selectiveFaults,
    ]);
    expect(flags(...seeds.flatMap((i) => both(i, i % 2, i % 2)))).toEqual([PLAY_FLAGS.bimodal]);
    expect(flags(...seeds.flatMap((i) => both(i, i % 2, (i >> 1) % 2)))).toEqual([]);
  });

  it('keeps rates and regret within their ranges for all outcomes', () => {
    const result = fc.oneof(
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.constantFrom('env_fault' as const, 'infra_lost' as const),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(result, result)), (rows) => {
        const episodes = rows.flatMap(([hinted, unhinted], index) => both(index, hinted, unhinted));
        expect(EnvironmentStatistics.safeParse(environmentStatistics(HASH, episodes, 0.5)).success).toBe(true);
      }),
    );
  });
});

describe('wilsonInterval', () => {
  it('gives the published values for 5 of 10 and stays inside [0, 1] at the ends', () => {
    const [low, high] = wilsonInterval(5, 10);
    expect(low).toBeCloseTo(0.2366, 4);
    expect(high).toBeCloseTo(0.7634, 4);
    expect(wilsonInterval(0, 4)[0]).toBe(0);
    expect(wilsonInterval(4, 4)[1]).toBeCloseTo(1, 12);
  });

  it('holds the rate itself', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (n, raw) => {
        const k = Math.min(n, raw);
        const [low, high] = wilsonInterval(k, n);
        return low <= k / n + 1e-12 && high >= k / n - 1e-12;
      }),
    );
  });

  it.each([
    [1, 0],
    [3, 2],
    [0.5, 2],
  ])('refuses %d of %d', (k, n) => {
    expect(() => wilsonInterval(k, n)).toThrow('positive integer');
    expect(() => standardError(k, n)).toThrow('positive integer');
  });
});

describe('standardError', () => {
  it('is √(p(1−p)/n)', () => {
    expect(standardError(50, 100)).toBeCloseTo(0.05, 12);
    expect(standardError(4, 4)).toBe(0);
  });
});
