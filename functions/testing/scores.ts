import type { Scores } from '../../shared/contracts/index.ts';
import { EXPERIMENT } from './objects.ts';

/** Scores of an ordinary iteration. */
export const SCORES: Scores = {
  experiment: EXPERIMENT,
  iteration: 1,
  environments: [],
  designers: [],
  groups: { kept: 1, zeroSpread: 0, short: 0 },
  episodes: { played: 8, env_fault: 0, infra_lost: 0, unresolved: 0 },
  meanReturn: { hinted: 1, unhinted: 0.5 },
  winRate: { hinted: 1, unhinted: 0.5 },
  meanRegret: 0.5,
  flooredFraction: 0,
  difficulty: {},
  carry: { skillEma: {}, difficultyMean: {}, validFraction: { mean: 1, windows: 1 }, designerScale: 1 },
  designerHealthy: true,
  actions: { boxed: 8 },
  samples: { agent: 4, designer: 2, tokens: 20 },
  degraded: false,
};
