import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveSeed, rng } from './seeds.ts';

describe('deriveSeed', () => {
  it('is the first four bytes of SHA-256 over the parts as JSON', () => {
    const digest = createHash('sha256').update('["demo",1,"abc",0]').digest('hex');
    expect(deriveSeed('demo', 1, 'abc', 0)).toBe(Number.parseInt(digest.slice(0, 8), 16));
  });

  it('tells apart parts that join to the same text', () => {
    const seeds = [
      deriveSeed('a', 12),
      deriveSeed('a1', 2),
      deriveSeed('a', '12'),
      deriveSeed('a12'),
      deriveSeed('a,12'),
    ];
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  it('refuses numbers that are not whole', () => {
    expect(() => deriveSeed('a', 0.5)).toThrow('safe integers');
    expect(() => deriveSeed('a', Number.NaN)).toThrow('safe integers');
  });

  it('is an unsigned 32-bit integer for all texts', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger())), (parts) => {
        const seed = deriveSeed(...parts);
        return Number.isInteger(seed) && seed >= 0 && seed <= 0xffffffff;
      }),
    );
  });
});

describe('rng', () => {
  it('draws the same numbers for the same seed, and others for another', () => {
    const draws = (seed: number) =>
      Array.from(
        { length: 8 },
        (
          (random) => () =>
            random.next()
        )(rng(seed)),
      );
    expect(draws(7)).toEqual(draws(7));
    expect(draws(7)).not.toEqual(draws(8));
  });

  it('keeps its stream: a change would silently change every experiment', () => {
    const random = rng(1);
    expect([random.int(1000), random.int(1000), random.int(1000)]).toEqual([945, 484, 520]);
  });

  it('draws integers below n about equally often', () => {
    const random = rng(3);
    const counts = [0, 0, 0];
    for (let i = 0; i < 30_000; i++) counts[random.int(3)]! += 1;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(300);
  });

  it('has mean 1/2 and stays in [0, 1)', () => {
    const random = rng(4);
    const values = Array.from({ length: 20_000 }, () => random.next());
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(values.reduce((a, b) => a + b) / values.length).toBeCloseTo(0.5, 1);
  });

  it('samples without replacement, all items when asked for more', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer()), fc.nat(20), fc.nat(), (items, count, seed) => {
        const frozen = Object.freeze([...items]);
        const drawn = rng(seed).sample(frozen, count);
        expect(new Set(drawn).size).toBe(Math.min(count, items.length));
        expect(drawn.every((item) => items.includes(item))).toBe(true);
      }),
    );
  });

  it('refuses to pick from nothing', () => {
    expect(() => rng(1).pick([])).toThrow('cannot draw below 0');
  });
});
