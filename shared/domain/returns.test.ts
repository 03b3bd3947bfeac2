import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { episodeReturn } from './returns.ts';

describe('episodeReturn', () => {
  it.each([
    { rewards: [0, 0, 1], terminated: true, final: 1, sum: 1 },
    { rewards: [0.4, 0.4, 0.4], terminated: true, final: 0.4, sum: 1 },
    { rewards: [0.4, 0.4], terminated: false, final: 0, sum: 0.8 },
    { rewards: [1e6], terminated: true, final: 1, sum: 1 },
    { rewards: [-3], terminated: true, final: -1, sum: -1 },
    { rewards: [1, -1], terminated: true, final: -1, sum: 0 },
    { rewards: [], terminated: false, final: 0, sum: 0 },
  ])('$rewards, terminated $terminated', ({ rewards, terminated, final, sum }) => {
    expect(episodeReturn({ rewards: Object.freeze(rewards), terminated }, 'final')).toBe(final);
    expect(episodeReturn({ rewards, terminated }, 'sum')).toBeCloseTo(sum, 12);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('never turns %d into a win', (reward) => {
    expect(() => episodeReturn({ rewards: [0, reward], terminated: true }, 'final')).toThrow('is a fault');
  });

  it('lies in [−1, 1], and an episode that was cut pays 0', () => {
    const rewards = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }));
    fc.assert(
      fc.property(
        rewards,
        fc.boolean(),
        fc.constantFrom('final' as const, 'sum' as const),
        (list, terminated, scoring) => {
          const value = episodeReturn({ rewards: list, terminated }, scoring);
          expect(Math.abs(value)).toBeLessThanOrEqual(1);
          if (scoring === 'final' && !terminated) expect(value).toBe(0);
          expect(Object.is(value, -0)).toBe(false);
        },
      ),
    );
  });
});
