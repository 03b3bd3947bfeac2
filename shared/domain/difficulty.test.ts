import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Difficulty } from '../contracts/index.ts';
import { askedLevels, nextDifficulty, startDifficulty, updateDifficultyMean } from './difficulty.ts';
import { CONTROLLER } from './profiles/method.ts';
import { rng } from './seeds.ts';

const controller = { ...CONTROLLER, dimensions: ['problemSize' as const] };
const at = (problemSize: number) => ({ ...startDifficulty({ start: 2 }), problemSize });

describe('nextDifficulty', () => {
  it.each([
    [0.61, 2.5],
    [0.6, 2],
    [0.5, 2],
    [0.4, 2],
    [0.39, 1.5],
    [null, 2],
  ])('after win rate %d asks for %d', (winRate, expected) => {
    expect(nextDifficulty(at(2), winRate, controller, undefined)).toEqual(at(expected));
  });

  it('moves the configured dimensions only, and nothing when it is off', () => {
    const all = nextDifficulty(at(2), 1, CONTROLLER, undefined);
    expect(all).toEqual(startDifficulty({ start: 2.5 }));
    expect(nextDifficulty(at(2), 1, { ...controller, enabled: false }, undefined)).toEqual(at(2));
  });

  it('stops falling one step below the running mean, and is never lifted by it', () => {
    const running = { mean: at(4), windows: 9 };
    expect(nextDifficulty(at(4), 0, controller, running).problemSize).toBe(3.5);
    expect(nextDifficulty(at(3.5), 0, controller, running).problemSize).toBe(3.5);
    expect(nextDifficulty(at(2), 0.5, controller, running).problemSize).toBe(2);
    expect(nextDifficulty(at(2), 0, controller, running).problemSize).toBe(2);
  });

  it('stays in [1, 6], moves at most one step, and asks for no less after more wins', () => {
    const level = fc.double({ min: 1, max: 6, noNaN: true });
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(level, level, rate, rate, (now, mean, a, b) => {
        const next = (winRate: number) => nextDifficulty(at(now), winRate, controller, { mean: at(mean), windows: 3 });
        expect(Difficulty.safeParse(next(a)).success).toBe(true);
        expect(Math.abs(next(a).problemSize - now)).toBeLessThanOrEqual(controller.step + 1e-12);
        expect(next(Math.max(a, b)).problemSize).toBeGreaterThanOrEqual(next(Math.min(a, b)).problemSize);
      }),
    );
  });
});

describe('updateDifficultyMean', () => {
  it('is the mean of all requests', () => {
    const mean = [2, 3, 4].reduce(
      (running: ReturnType<typeof updateDifficultyMean> | undefined, level) => updateDifficultyMean(running, at(level)),
      undefined,
    );
    expect(mean).toEqual({ mean: at(3), windows: 3 });
  });
});

describe('askedLevels', () => {
  it('asks for whole levels next to the real one that average to it', () => {
    const random = rng(5);
    const drawn = Array.from({ length: 4000 }, () => askedLevels(at(2.25), random).problemSize);
    expect(new Set(drawn)).toEqual(new Set([2, 3]));
    expect(drawn.reduce((a, b) => a + b) / drawn.length).toBeCloseTo(2.25, 1);
  });

  it('keeps whole levels', () => {
    expect(askedLevels(at(6), rng(1)).problemSize).toBe(6);
  });
});
