import type { IterationInput } from '../shared/contracts/index.ts';
import { priceUsage } from '../shared/domain/cost/index.ts';
import type { Ledger } from '../shared/ports/index.ts';

/** Whether the experiment's cap is reached. A cap of 0 allows what costs nothing. Amounts in USD. */
export function overBudget(spentUsd: number, maxUsd: number): boolean {
  return spentUsd > 0 && spentUsd >= maxUsd;
}

/** Amounts by unit of measure, as the price table names them. */
export type Usage = Readonly<Record<string, number>>;

/**
 * Enters what a phase used, at the dated price table. One entry per (iteration, phase, attempt): the first stands, so a replay that finds
 * its results adds nothing, and the sum of a run stays short.
 * @param phase name of the phase: design, rollout, train, serve
 * @throws {InvalidInput} for a unit without a price: an unknown cost must not count as none
 */
export async function recordUsage(
  ledger: Pick<Ledger, 'spend'>,
  { experiment, iteration, attempt }: IterationInput,
  phase: string,
  usage: Usage,
): Promise<void> {
  const { usd, priceDate } = priceUsage(usage);
  await ledger.spend({ experiment, iteration, unit: phase, attempt, usage: { ...usage }, usd, priceDate });
}
