import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centreAndScale, designerScale } from './skill-centring.ts';

describe('designerScale', () => {
  it('is episodes per design times the window, at most the maximum', () => {
    const input = { maximumScale: 50, agentEpisodes: 384, designerSamples: 24, windowLength: 1 };
    expect(designerScale(input)).toBe(16);
    expect(designerScale({ ...input, windowLength: 4 })).toBe(50);
    expect(designerScale({ ...input, designerSamples: 0 })).toBe(0);
  });
});

describe('centreAndScale', () => {
  it('centres each skill alone, refused designs included, by hand', () => {
    const designs = [
      { skill: 'a', raw: 1 },
      { skill: 'b', raw: 0.25 },
      { skill: 'a', raw: 0.5 },
      { skill: 'a', raw: 0 },
    ];
    expect(centreAndScale(Object.freeze(designs), 10)).toEqual([5, 0, 0, -5]);
  });

  it('teaches nothing by a lone design or by equal rewards', () => {
    expect(centreAndScale([{ skill: 'a', raw: 0.7 }], 16)).toEqual([0]);
    expect(centreAndScale([], 16)).toEqual([]);
  });

  it('refuses rewards that are not finite', () => {
    expect(() => centreAndScale([{ skill: 'a', raw: Number.NaN }], 1)).toThrow('not finite');
  });

  it('sums to zero in each skill, keeps the order of rewards, and does not see a constant added to a skill', () => {
    const design = fc.record({
      skill: fc.constantFrom('a', 'b', 'c'),
      raw: fc.double({ min: -1, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(design, { maxLength: 40 }),
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        (designs, scale) => {
          const advantages = centreAndScale(designs, scale);
          for (const skill of ['a', 'b', 'c']) {
            const own = advantages.filter((_, i) => designs[i]?.skill === skill);
            expect(own.reduce((x, y) => x + y, 0)).toBeCloseTo(0, 9);
          }
          const shifted = centreAndScale(
            designs.map((d) => ({ ...d, raw: d.raw + 3 })),
            scale,
          );
          shifted.forEach((value, i) => {
            expect(value).toBeCloseTo(advantages[i] as number, 9);
          });
        },
      ),
    );
  });
});
