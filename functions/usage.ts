import type { IterationInput } from '../shared/contracts/index.ts';
import type { Ledger } from '../shared/ports/index.ts';

/** Whether the experiment's cap is reached. A cap of 0 allows what costs nothing. Amounts in USD. */
export function overBudget(spentUsd: number, maxUsd: number): boolean {
  return spentUsd > 0 && spentUsd >= maxUsd;
}

/** Amounts by unit of measure: requests, tokens, episodes, seconds. */
export type Usage = Readonly<Record<string, number>>;

/**
 * Enters what a phase used. One entry per (iteration, phase, attempt): the first stands, so a replay that finds its results adds nothing.
 * @param phase name of the phase: design, rollout, train
 */
export async function recordUsage(
  ledger: Pick<Ledger, 'spend'>,
  { experiment, iteration, attempt }: IterationInput,
  phase: string,
  usage: Usage,
): Promise<void> {
  await ledger.spend({ experiment, iteration, unit: phase, attempt, usage: { ...usage }, usd: 0, priceDate: '' });
}
