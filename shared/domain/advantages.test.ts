import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from './advantages.ts';

const options = { kind: 'mean-centred', planned: 4, minimumFraction: 0.5 } as const;
const advantages = (returns: readonly number[], kind: 'mean-centred' | 'zscore' = 'mean-centred') => {
  const group = groupAdvantages(returns, { ...options, planned: returns.length, kind });
  return group.kept ? group.advantages : group.reason;
};

describe('groupAdvantages', () => {
  it('is return − mean, by hand', () => {
    expect(advantages(Object.freeze([1, 1, 0, 0]))).toEqual([0.5, 0.5, -0.5, -0.5]);
    expect(advantages([1, 0, 0, 0])).toEqual([0.75, -0.25, -0.25, -0.25]);
  });

  it('divides by the population standard deviation for z-scores, by hand', () => {
    expect(advantages([1, 0], 'zscore')).toEqual([1, -1]);
    expect(
      (
        advantages(
          [2, 0, 0, 0].map((r) => r / 2),
          'zscore',
        ) as number[]
      )[0],
    ).toBeCloseTo(Math.sqrt(3), 12);
  });

  it.each([
    ['equal', [1, 1, 1], 'zero-spread'],
    ['equal but for rounding', [0.1 + 0.2, 0.3, 0.3], 'zero-spread'],
    ['of size 1', [1], 'short'],
    ['of size 0', [], 'short'],
  ])('drops a group that is %s', (_, returns, reason) => {
    expect(advantages(returns)).toBe(reason);
  });

  it('keeps a group in which one differs', () => {
    expect(advantages([0, 0, 0, 1e-6])).not.toBe('zero-spread');
  });

  it('drops a group with fewer than half of the planned episodes, and keeps one with exactly half', () => {
    expect(groupAdvantages([1, 0, 0], { ...options, planned: 8 })).toEqual({ kept: false, reason: 'short' });
    expect(groupAdvantages([1, 1, 0, 0], { ...options, planned: 8 }).kept).toBe(true);
  });

  it('refuses a NaN instead of spreading it over the group', () => {
    expect(() => groupAdvantages([1, Number.NaN], options)).toThrow('not finite');
  });

  it('sums to zero, does not see a constant, and keeps the order of returns', () => {
    const group = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 16 });
    fc.assert(
      fc.property(group, fc.constantFrom('mean-centred' as const, 'zscore' as const), (returns, kind) => {
        const values = advantages(returns, kind);
        if (typeof values === 'string') return;
        expect(values.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 6);
        const best = returns.indexOf(Math.max(...returns));
        expect(values[best]).toBe(Math.max(...values));
      }),
    );
  });
});
