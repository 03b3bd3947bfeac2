import { describe, expect, it } from 'vitest';
import { isHealthy, nextDesignerScale, updateValidFraction } from './designer-health.ts';

describe('isHealthy', () => {
  const running = { mean: 0.8, windows: 3 };
  it.each([
    ['at half of the running mean', { validFraction: 0.4, admitted: 5 }, true],
    ['below half of it', { validFraction: 0.39, admitted: 5 }, false],
    ['without a survivor, however valid', { validFraction: 1, admitted: 0 }, false],
    ['when the host lost all designs', { validFraction: null, admitted: 0 }, true],
  ])('%s', (_, window, expected) => {
    expect(isHealthy(window, running, 0.5)).toBe(expected);
  });

  it('has nothing to compare the first window with', () => {
    expect(isHealthy({ validFraction: 0.01, admitted: 1 }, { mean: 0, windows: 0 }, 0.5)).toBe(true);
  });
});

describe('running values', () => {
  it('are the plain mean of the windows taken in', () => {
    const fractions = [1, 0.5, 0.3];
    const mean = fractions.reduce(
      (running, validFraction) => updateValidFraction(running, { validFraction, admitted: 1 }),
      { mean: 0, windows: 0 },
    );
    expect(mean.windows).toBe(3);
    expect(mean.mean).toBeCloseTo(0.6, 12);
  });

  it('halve the scale at each illness and never reach 0', () => {
    expect(nextDesignerScale(1, true)).toBe(1);
    expect(nextDesignerScale(1, false)).toBe(0.5);
    const scale = Array.from({ length: 2000 }).reduce<number>((value) => nextDesignerScale(value, false), 1);
    expect(scale).toBeGreaterThan(0);
  });
});
