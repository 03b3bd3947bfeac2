/** Running mean of the valid fraction over the healthy windows so far. */
export interface ValidFractionMean {
  readonly mean: number;
  readonly windows: number;
}

/** What one generation window says about the designer. */
export interface WindowHealth {
  /** Designs accepted by validation, before duplicates are refused, as a fraction of those judged; null when none was judged. */
  readonly validFraction: number | null;
  /** Environments that the window has to play. */
  readonly admitted: number;
}

/**
 * Whether the designer still works (M33): its valid fraction has not fallen below `healthFraction` times the running mean, and at least
 * one environment survived. A window in which the host lost every design says nothing, and is healthy.
 * @param healthFraction in [0, 1]; the method's value is 0.5
 */
export function isHealthy(window: WindowHealth, running: ValidFractionMean, healthFraction: number): boolean {
  if (window.validFraction === null) return true;
  if (window.admitted === 0) return false;
  return running.windows === 0 || window.validFraction >= healthFraction * running.mean;
}

/** Takes a healthy window into the running mean; a sick one would lower what sickness is measured by. */
export function updateValidFraction(running: ValidFractionMean, window: WindowHealth): ValidFractionMean {
  if (window.validFraction === null) return running;
  const windows = running.windows + 1;
  return { windows, mean: running.mean + (window.validFraction - running.mean) / windows };
}

/** The designer's scale after a window: halved when the designer fell ill (M33), never raised again. In (0, 1]. */
export function nextDesignerScale(scale: number, healthy: boolean): number {
  return healthy ? scale : Math.max(scale / 2, SMALLEST_SCALE);
}

/** Below this the designer no longer moves; halving on would end in 0, which the record refuses. */
const SMALLEST_SCALE = 2 ** -20;
