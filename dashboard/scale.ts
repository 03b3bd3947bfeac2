/** A straight map from values to pixels, and the round values worth a grid line. */
export interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/**
 * A scale whose ends are round numbers around the values.
 * @param pixels where the lower and the upper end lie
 * @param wanted about so many steps
 */
export function scaleOver(values: readonly number[], pixels: readonly [number, number], wanted = 4): Scale {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const step = roundStep(spread(low, high) / wanted);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  const [from, to] = pixels;
  const span = (last - first) * step;
  return { ticks, at: (value) => from + ((value - first * step) / span) * (to - from) };
}

/** Length that the ticks divide: equal values get one around them, and no step is finer than numbers of that size can show. */
function spread(low: number, high: number): number {
  const size = Math.max(Math.abs(low), Math.abs(high));
  const length = high === low ? size : Math.max(high - low, size * 1e-9);
  return length < 1e-12 ? 1 : length;
}

/** The nearest of 1, 2, 5 times a power of ten that is not smaller. */
function roundStep(raw: number): number {
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= raw * (1 - 1e-9)) as number;
  return factor * power;
}
