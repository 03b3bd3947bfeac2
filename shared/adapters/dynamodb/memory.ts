import {
  type Band,
  type EnvironmentStatistics,
  pad4,
  REGRET_INDEX,
  REGRET_INDEX_KEYS,
  tableKeys,
} from '../../contracts/index.ts';
import type { Memory, MemoryEntry } from '../../ports/index.ts';
import type { Item, ItemValue } from './codec.ts';
import { regretRank } from './regret-rank.ts';
import type { Table } from './table.ts';

/**
 * Environments read from one bucket of the near-duplicate search, newest first. A bucket is shared by programs that look alike but were
 * admitted as different, so it stays short; the bound keeps a look-up's cost the same when it does not.
 */
const BUCKET_LIMIT = 64;

/**
 * The environment memory in the table (M14). Every query reads a bounded range of a partition or of the regret index, so its cost does not
 * depend on how many environments were ever admitted.
 *
 * Replay: each item carries the iteration that admitted the environment, and queries leave out `beforeIteration` and later, so an iteration
 * that is run again sees what it saw the first time. The regret index follows the table with a delay on AWS (it is eventually
 * consistent); it is read in phase 1 only, at least one state transition after the last write, and `plan.json` keeps what was read.
 */
export function createMemory(table: Table): Memory {
  return {
    record: (experiment, entry) => record(table, experiment, entry),
    topByRegret: (experiment, skill, band, limit, beforeIteration) =>
      take(
        table.query({
          index: REGRET_INDEX,
          partition: [REGRET_INDEX_KEYS.partition, tableKeys.byRegret(experiment, skill, band)],
          filter: '#iteration < :before',
          names: { '#iteration': 'iteration' },
          values: { ':before': beforeIteration },
          descending: true,
          // Some of the page may be of this iteration: read a little more than asked for.
          pageSize: limit + 32,
        }),
        limit,
        toEntry,
      ),
    async find(experiment, environment) {
      const item = await table.get(tableKeys.environment(experiment, environment));
      return item === null ? null : toEntry(item);
    },
    candidates: (experiment, bucketKeys, beforeIteration) => candidates(table, experiment, bucketKeys, beforeIteration),
    async index(experiment, environment, bucketKeys, iteration) {
      const keys = [...new Set(bucketKeys)].map((bucket) =>
        tableKeys.bucket(experiment, bucket, iteration, environment),
      );
      await Promise.all(keys.map((key) => table.put({ ...key, environment })));
    },
    recentTitles: (experiment, limit, beforeIteration) =>
      take(
        table.query({
          partition: ['PK', tableKeys.title(experiment, beforeIteration, '').PK],
          condition: 'SK < :before',
          values: { ':before': pad4(beforeIteration) },
          descending: true,
          pageSize: limit,
        }),
        limit,
        (item) => String(item.title),
      ),
  };
}

async function record(table: Table, experiment: string, entry: MemoryEntry): Promise<void> {
  const { environment, title, iteration, statistics, band, skill } = entry;
  await table.put({ ...tableKeys.title(experiment, iteration, environment), title });
  const item = {
    ...tableKeys.environment(experiment, environment),
    ...{
      environment,
      title,
      skill,
      iteration,
      syntaxHash: entry.syntaxHash,
      difficulty: { ...entry.difficulty },
      band,
    },
    statistics: statistics === null ? null : withoutNegativeZero(statistics),
  };
  // Admission may be replayed after the scores are in: what was measured stays.
  if (statistics === null) await table.put(item, { condition: 'attribute_not_exists(PK)' });
  else await table.put({ ...item, ...partition(experiment, skill, statistics, band) }, { decimals: rank(entry) });
}

/** An environment without a regret (no seed was played in both arms) is in no band of the index. */
function partition(experiment: string, skill: string, statistics: EnvironmentStatistics, band: Band | null): Item {
  if (statistics.regret === null || band === null) return {};
  return { [REGRET_INDEX_KEYS.partition]: tableKeys.byRegret(experiment, skill, band) };
}

function rank({ statistics, environment, band }: MemoryEntry): Record<string, string> {
  if (statistics === null || statistics.regret === null || band === null) return {};
  return { [REGRET_INDEX_KEYS.sort]: regretRank(statistics.regret, environment) };
}

async function candidates(table: Table, experiment: string, bucketKeys: readonly string[], beforeIteration: number) {
  const found = await Promise.all(
    [...new Set(bucketKeys)].map((bucket) =>
      take(
        table.query({
          partition: ['PK', tableKeys.bucket(experiment, bucket, beforeIteration, '').PK],
          condition: 'SK < :before',
          values: { ':before': pad4(beforeIteration) },
          descending: true,
          pageSize: BUCKET_LIMIT,
        }),
        BUCKET_LIMIT,
        (item) => String(item.environment),
      ),
    ),
  );
  return [...new Set(found.flat())].sort();
}

/** The first `limit` items; no further page is asked for than needed. */
async function take<T>(items: AsyncIterable<Item>, limit: number, map: (item: Item) => T): Promise<T[]> {
  const taken: T[] = [];
  if (limit === 0) return taken;
  for await (const item of items) if (taken.push(map(item)) === limit) break;
  return taken;
}

/** The items were written by `record`, which the compiler checked; nobody else writes them. */
function toEntry(item: Item): MemoryEntry {
  const { environment, title, skill, iteration, syntaxHash, difficulty, statistics, band } = item;
  return { environment, title, skill, iteration, syntaxHash, difficulty, statistics, band } as unknown as MemoryEntry;
}

/** A mean can come out as −0, which the table does not keep: it is 0 here. */
function withoutNegativeZero(value: unknown): ItemValue {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map(withoutNegativeZero);
  if (typeof value !== 'object' || value === null) return value as ItemValue;
  return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, withoutNegativeZero(v)]));
}
