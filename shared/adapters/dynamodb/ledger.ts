import { pad4, type SpendEntry, tableKeys } from '../../contracts/index.ts';
import type { Ledger } from '../../ports/index.ts';
import type { Table } from './table.ts';

/** One iteration's line in the table. */
export interface IterationStatus {
  readonly iteration: number;
  readonly status: 'running' | 'completed' | 'failed';
  /** Time of the last change, ISO 8601. */
  readonly updatedAt: string;
}

/** The ledger as hosts see it: units use the {@link Ledger} port, people's commands the rest. */
export interface TableLedger extends Ledger {
  /** Asks the run to stop before its next iteration; `false` takes it back. */
  requestStop(experiment: string, stop: boolean): Promise<void>;
  /** All iterations ever begun, in order. */
  iterations(experiment: string): Promise<IterationStatus[]>;
}

/**
 * Spend and progress in the table. Every write is harmless when repeated: an entry is written once, `promote` only moves forward.
 *
 * @param now - wall clock, for attributes that people read
 */
export function createLedger(table: Table, now: () => Date = () => new Date()): TableLedger {
  const meta = async (experiment: string) => (await table.get(tableKeys.meta(experiment))) ?? {};
  return {
    spend: (entry) => spend(table, entry),
    totalUsd: (experiment) => totalUsd(table, experiment),
    currentPolicy: async (experiment) => Number((await meta(experiment)).policyVersion ?? 0),
    async promote(experiment, iteration, version) {
      await table.update(
        tableKeys.meta(experiment),
        'SET policyVersion = :version, promotedIn = :iteration',
        { ':version': version, ':iteration': iteration },
        'attribute_not_exists(promotedIn) OR promotedIn < :iteration',
      );
    },
    stopRequested: async (experiment) => (await meta(experiment)).stopRequested === true,
    async requestStop(experiment, stop) {
      await table.update(tableKeys.meta(experiment), 'SET stopRequested = :stop', { ':stop': stop });
    },
    async recordIteration(experiment, iteration, status) {
      await table.put({
        ...tableKeys.iteration(experiment, iteration),
        ...{ iteration, status, updatedAt: now().toISOString() },
      });
    },
    iterations: (experiment) => iterations(table, experiment),
  };
}

/** The first entry of an (iteration, unit, attempt) stands: a replayed unit finds its result and uses next to nothing. */
async function spend(table: Table, entry: SpendEntry): Promise<void> {
  const { experiment, iteration, unit, attempt, usage, usd, priceDate } = entry;
  const key = tableKeys.spend(experiment, `${pad4(iteration)}#${unit}#${attempt}`);
  const item = { ...key, iteration, unit, attempt, usage: { ...usage }, usd, priceDate };
  await table.put(item, { condition: 'attribute_not_exists(PK)' });
}

/** Sums the entries: a running total would count a repeated write twice, since the table has no transactions on the laptop. */
async function totalUsd(table: Table, experiment: string): Promise<number> {
  const { PK, SK } = tableKeys.spend(experiment, '');
  let total = 0;
  for await (const item of table.query({
    partition: ['PK', PK],
    condition: 'begins_with(SK, :spend)',
    values: { ':spend': SK },
  })) {
    total += Number(item.usd);
  }
  return total;
}

async function iterations(table: Table, experiment: string): Promise<IterationStatus[]> {
  const { PK } = tableKeys.meta(experiment);
  const found: IterationStatus[] = [];
  for await (const item of table.query({
    partition: ['PK', PK],
    condition: 'begins_with(SK, :iteration)',
    values: { ':iteration': 'ITER#' },
  })) {
    const { iteration, status, updatedAt } = item;
    found.push({ iteration, status, updatedAt } as unknown as IterationStatus);
  }
  return found;
}
