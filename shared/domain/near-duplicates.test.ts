import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketKeys, judgeDuplicate, sketchSimilarity } from './near-duplicates.ts';
import { rng } from './seeds.ts';

const config = { similarity: 0.85, sameTree: 2 };
const sketch = (seed: number) => {
  const random = rng(seed);
  return Array.from({ length: 64 }, () => random.int(2 ** 32));
};
/** The sketch with some positions changed, as a program with a changed constant has. */
const near = (base: readonly number[], changed: number) => base.map((value, i) => (i < changed ? value + 1 : value));
const program = (syntaxHash: string, shingles: readonly number[]) => ({ syntaxHash, shingles });

describe('sketchSimilarity', () => {
  it('is the share of equal positions', () => {
    expect(sketchSimilarity([1, 2, 3, 4], [1, 2, 0, 4])).toBe(0.75);
    expect(sketchSimilarity([], [])).toBe(0);
    expect(sketchSimilarity([1], [1, 2])).toBe(0);
  });

  it('is symmetric, and 1 with itself', () => {
    const list = fc.array(fc.nat(3), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(list, list, (a, b) => {
        expect(sketchSimilarity(a, b)).toBe(sketchSimilarity(b, a));
        expect(sketchSimilarity(a, a)).toBe(1);
      }),
    );
  });
});

describe('judgeDuplicate', () => {
  const first = program('tree-1', sketch(1));

  it('refuses the same tree whatever the text', () => {
    expect(judgeDuplicate(program('tree-1', sketch(2)), [first], config)).toEqual({
      duplicate: true,
      kind: 'same-tree',
      similarity: 1,
    });
  });

  it('allows one near-twin and then no more', () => {
    const twin = program('tree-2', near(first.shingles, 3));
    const third = program('tree-3', near(first.shingles, 5));
    expect(judgeDuplicate(twin, [first], config).duplicate).toBe(false);
    expect(judgeDuplicate(third, [first, twin], config)).toMatchObject({ duplicate: true, kind: 'near-twins' });
  });

  it('sets no limit to near-twins when it is 0, and lets different programs in', () => {
    const twins = [2, 3, 4].map((n) => program(`tree-${n}`, near(first.shingles, n)));
    expect(judgeDuplicate(twins[0]!, [first, ...twins.slice(1)], { ...config, sameTree: 0 }).duplicate).toBe(false);
    expect(judgeDuplicate(program('tree-9', sketch(9)), [first, ...twins], { ...config, sameTree: 1 }).duplicate).toBe(
      false,
    );
  });

  it('does not take two unparsed programs for the same tree', () => {
    expect(judgeDuplicate(program('', []), [program('', [])], config).duplicate).toBe(false);
  });
});

describe('bucketKeys', () => {
  it('shares a key between programs that are near-twins', () => {
    const random = rng(11);
    for (let trial = 0; trial < 200; trial++) {
      const base = sketch(100 + trial);
      const changed = new Set(random.sample([...base.keys()], 9));
      const twin = base.map((value, i) => (changed.has(i) ? value ^ 1 : value));
      const keys = new Set(bucketKeys(program('x', base), config));
      expect(bucketKeys(program('y', twin), config).some((key) => keys.has(key))).toBe(true);
    }
  });

  it('keeps different programs apart', () => {
    const keys = new Set(bucketKeys(program('x', sketch(1)), config));
    expect(bucketKeys(program('y', sketch(2)), config).some((key) => keys.has(key))).toBe(false);
  });

  it('needs the tree alone when near-twins are not limited', () => {
    expect(bucketKeys(program('x', sketch(1)), { ...config, sameTree: 0 })).toEqual(['tree:x']);
  });
});
