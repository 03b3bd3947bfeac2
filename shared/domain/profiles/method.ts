import type { ExperimentConfig } from '../../contracts/index.ts';

/** Values of the method itself, shared by all profiles (arXiv 2608.19197 and the released recipe; method numbers behind each). */

/** M14, M15. */
export const MEMORY: ExperimentConfig['memory'] = {
  enabled: true,
  highRegretExamples: 2,
  counterExamples: 1,
  frontier: [0.15, 0.85],
  poolFactor: 3,
  poolMinimum: 10,
  tooEasy: 0.9,
  tooHard: 0.1,
  titles: 20,
  codeCharacters: 2000,
};

/** M8–M11. */
export const DESIGNER_REWARD: ExperimentConfig['designer']['reward'] = {
  variant: 'blend',
  regretWeight: 0.4,
  plateauWeight: 0.6,
  regretScale: 0.15,
  plateauLow: 0.4,
  plateauHigh: 0.6,
  plateauRamp: 0.25,
  maximumScale: 50,
  timeoutReward: -0.5,
  faultReward: -0.5,
  secretRegret: 0,
  emaDecay: 0.98,
};

/** M20: off unless an experiment switches it on. */
export const JUDGE: ExperimentConfig['judge'] = { mode: 'off', policy: 'auto', model: '', maxTokens: 4096 };

/** M17. The band is the plateau of the designer's reward: both pull towards the same win rates. */
export const CONTROLLER: ExperimentConfig['controller'] = {
  enabled: true,
  dimensions: ['problemSize', 'constraints', 'modules', 'uncertainty', 'interactionLength'],
  start: 2,
  step: 0.5,
  low: 0.4,
  high: 0.6,
};

/** Method §7: clipping, truncated importance sampling, no KL and no entropy term. */
export const LOSS = {
  clipLow: 0.2,
  clipHigh: 0.28,
  tisCap: 2,
  aggregation: 'sample-mean',
  agentWeight: 1,
  designerWeight: 1,
  klCoefficient: 0,
  entropyCoefficient: 0,
  epochs: 1,
  maxGradientNorm: 1,
} as const satisfies Partial<ExperimentConfig['training']>;
