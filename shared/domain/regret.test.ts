import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchedPairs, regret } from './regret.ts';
import { episodeFor } from './testing.ts';

describe('regret', () => {
  it('is the difference of the means, by hand', () => {
    expect(
      regret([
        { hinted: 1, unhinted: 0 },
        { hinted: 1, unhinted: 1 },
        { hinted: 0, unhinted: 0 },
        { hinted: 1, unhinted: 0 },
      ]),
    ).toEqual({
      value: 0.5,
      floored: false,
      pairs: 4,
    });
  });

  it('is floored at 0 and says so', () => {
    expect(regret([{ hinted: -1, unhinted: 1 }])).toEqual({ value: 0, floored: true, pairs: 1 });
    expect(regret([{ hinted: 0, unhinted: 0 }])).toEqual({ value: 0, floored: false, pairs: 1 });
  });

  it('is unknown without pairs, not 0', () => {
    expect(regret([])).toEqual({ value: null, floored: false, pairs: 0 });
  });

  it('lies in [0, 2] and does not depend on the order of pairs', () => {
    const unit = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.record({ hinted: unit, unhinted: unit }), { minLength: 1 }), (pairs) => {
        const { value } = regret(pairs);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(2);
        expect(regret([...pairs].reverse()).value).toBeCloseTo(value as number, 12);
      }),
    );
  });
});

describe('matchedPairs', () => {
  it('pairs the arms by seed and drops what either arm lost', () => {
    const episodes = [
      episodeFor('hinted', 0, 1),
      episodeFor('unhinted', 0, 0),
      episodeFor('hinted', 1, 1),
      episodeFor('unhinted', 1, 'env_fault'),
      episodeFor('hinted', 2, 'infra_lost'),
      episodeFor('unhinted', 2, 0),
      episodeFor('unhinted', 3, 0),
    ];
    expect(matchedPairs(episodes)).toEqual([{ hinted: 1, unhinted: 0 }]);
  });

  it('never pairs different seeds or iterations', () => {
    expect(matchedPairs([episodeFor('hinted', 0, 1), episodeFor('unhinted', 0, 0, { seed: 7 })])).toEqual([]);
    expect(matchedPairs([episodeFor('hinted', 0, 1), episodeFor('unhinted', 0, 0, { iteration: 2 })])).toEqual([]);
  });

  it('gives a program that breaks without the hint no regret at all', () => {
    const broken = [0, 1, 2, 3].flatMap((i) => [episodeFor('hinted', i, 1), episodeFor('unhinted', i, 'env_fault')]);
    expect(regret(matchedPairs(broken)).value).toBeNull();
  });
});
