import type { ExperimentConfig } from '../shared/contracts/index.ts';
import type { Estimate } from '../shared/domain/cost/index.ts';

/** Whether an experiment is not even begun: by the cheapest assumptions it reaches its cap before its end. */
export function isRefused({ experiment }: Estimate, { budget }: Pick<ExperimentConfig, 'budget'>): boolean {
  return experiment.low > budget.maxUsd;
}
