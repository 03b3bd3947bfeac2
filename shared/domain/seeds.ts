import { createHash } from 'node:crypto';
import { InvalidInput } from '../contracts/index.ts';

/**
 * A seed that depends on what it is for, and on nothing else: never `seed + index`, never the clock.
 *
 * The first four bytes (big-endian) of SHA-256 over the parts as a JSON array, so that `('a', 12)`, `('a1', 2)` and
 * `('a', '12')` differ (M5). Python: `int.from_bytes(sha256(json.dumps(parts, separators=(',', ':'), ensure_ascii=False).encode()).digest()[:4], 'big')`.
 * @returns an unsigned 32-bit integer
 * @throws {InvalidInput} for a number that is not a safe integer
 * @example deriveSeed('demo', 1, 'abc', 0)
 */
export function deriveSeed(...parts: readonly (string | number)[]): number {
  const odd = parts.filter((part) => typeof part === 'number' && !Number.isSafeInteger(part));
  if (odd.length > 0) throw new InvalidInput('seed', [`parts must be texts and safe integers, got ${odd.join(', ')}`]);
  return createHash('sha256').update(JSON.stringify(parts)).digest().readUInt32BE(0);
}

/** A small seeded generator: sfc32 (Chris Doty-Humphrey's PractRand), 128 bits of state. Not for secrets. */
export interface Rng {
  /** Uniform in [0, 1), 53 bits. */
  next(): number;
  /** Uniform integer in [0, n), without modulo bias. @throws {InvalidInput} unless n is an integer in 1..2^32 */
  int(n: number): number;
  /** One item, uniformly. @throws {InvalidInput} when there is none */
  pick<T>(items: readonly T[]): T;
  /** `count` different positions' items, in random order; all of them when there are fewer. */
  sample<T>(items: readonly T[], count: number): T[];
  /** A shuffled copy (Fisher–Yates). */
  shuffle<T>(items: readonly T[]): T[];
}

/**
 * Starts a generator; the same seed gives the same draws on every machine.
 * @param seed unsigned 32-bit integer, usually from {@link deriveSeed}
 */
export function rng(seed: number): Rng {
  const next32 = sfc32(seed);
  const int = (n: number): number => {
    if (!Number.isInteger(n) || n < 1 || n > 2 ** 32) throw new InvalidInput('draw', [`cannot draw below ${n}`]);
    const limit = 2 ** 32 - (2 ** 32 % n);
    let drawn = next32();
    while (drawn >= limit) drawn = next32();
    return drawn % n;
  };
  const shuffle = <T>(items: readonly T[]): T[] => {
    const out = [...items];
    for (let i = out.length - 1; i > 0; i--) {
      const j = int(i + 1);
      [out[i], out[j]] = [out[j] as T, out[i] as T];
    }
    return out;
  };
  return {
    next: () => ((next32() >>> 5) * 2 ** 26 + (next32() >>> 6)) / 2 ** 53,
    int,
    pick: (items) => items[int(items.length)] as (typeof items)[number],
    sample: (items, count) => shuffle(items).slice(0, count),
    shuffle,
  };
}

function sfc32(seed: number): () => number {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = seed >>> 0;
  let counter = 1;
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
}
