import {
  DIFFICULTY_DIMENSIONS,
  type Difficulty,
  type DifficultyDimension,
  type ExperimentConfig,
} from '../contracts/index.ts';
import type { Rng } from './seeds.ts';

export type ControllerConfig = ExperimentConfig['controller'];

/** Mean difficulty that was requested of a skill so far. */
export interface DifficultyMean {
  readonly mean: Difficulty;
  readonly windows: number;
}

const LOWEST = 1;
const HIGHEST = 6;

/** Difficulty of a skill before anything was measured: `start` in every dimension. */
export function startDifficulty(controller: Pick<ControllerConfig, 'start'>): Difficulty {
  return eachDimension(() => controller.start);
}

/**
 * Difficulty to ask for in the next window (M17, "zone of proximal development"): each dimension that the controller moves goes
 * up by `step` when the measured win rate is above `high`, down when it is below `low`, else stays; within [1, 6].
 *
 * Floor (M15): a dimension never falls below the running mean of what was requested, less one step. One step of slack,
 * because a floor at the mean itself would forbid ever correcting a start that was too hard. The floor stops a fall; it
 * never lifts a level.
 * @param winRate unhinted mean over the skill's admitted environments, a fraction; null (nothing measured) changes nothing
 */
export function nextDifficulty(
  requested: Difficulty,
  winRate: number | null,
  controller: ControllerConfig,
  running: DifficultyMean | undefined,
): Difficulty {
  if (!controller.enabled || winRate === null) return requested;
  const move = winRate > controller.high ? controller.step : winRate < controller.low ? -controller.step : 0;
  return eachDimension((dimension) => {
    const level = requested[dimension];
    if (!controller.dimensions.includes(dimension)) return level;
    const floor = running === undefined ? LOWEST : running.mean[dimension] - controller.step;
    const moved = Math.min(HIGHEST, Math.max(LOWEST, level + move));
    return Math.max(moved, Math.min(level, floor));
  });
}

/** Takes the request of one more window into the running mean. */
export function updateDifficultyMean(running: DifficultyMean | undefined, requested: Difficulty): DifficultyMean {
  if (running === undefined) return { mean: requested, windows: 1 };
  const windows = running.windows + 1;
  return {
    windows,
    mean: eachDimension((d) => running.mean[d] + (requested[d] - running.mean[d]) / windows),
  };
}

/**
 * Whole levels for one design request: each level is rounded up with the probability of its fraction, so that the levels of many
 * requests average to the level that the controller asks for.
 * @example askedLevels(startDifficulty({ start: 2.5 }), rng(1)) // each dimension 2 or 3
 */
export function askedLevels(difficulty: Difficulty, random: Rng): Difficulty {
  return eachDimension((dimension) => {
    const level = difficulty[dimension];
    const low = Math.floor(level);
    return low + (random.next() < level - low ? 1 : 0);
  });
}

function eachDimension(value: (dimension: DifficultyDimension) => number): Difficulty {
  return Object.fromEntries(DIFFICULTY_DIMENSIONS.map((dimension) => [dimension, value(dimension)])) as Difficulty;
}
