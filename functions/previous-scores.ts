import {
  type Carry,
  type Difficulty,
  type ExperimentConfig,
  iterationKeys,
  Scores,
} from '../shared/contracts/index.ts';
import { startDifficulty } from '../shared/domain/difficulty.ts';
import type { Store } from '../shared/ports/index.ts';
import { findObject } from './objects.ts';

/** What the iterations before one left behind. */
export interface Inheritance {
  /** Difficulty to ask for, by skill; {@link difficultyOf} fills in skills that are new. */
  readonly difficulty: Readonly<Record<string, Difficulty>>;
  readonly carry: Carry;
}

/** Before the first iteration nothing was measured. */
const NOTHING: Inheritance = {
  difficulty: {},
  carry: { skillEma: {}, difficultyMean: {}, validFraction: { mean: 0, windows: 0 }, designerScale: 1 },
};

/** What the scores of the iteration before say; the start when there are none. */
export async function inherited(experiment: string, iteration: number, episodes: Store): Promise<Inheritance> {
  if (iteration === 1) return NOTHING;
  return (await findObject(episodes, iterationKeys(experiment, iteration - 1).scores, Scores)) ?? NOTHING;
}

/** Levels to ask for of one skill (M17). */
export function difficultyOf(inheritance: Inheritance, skill: string, config: ExperimentConfig): Difficulty {
  return inheritance.difficulty[skill] ?? startDifficulty(config.controller);
}
