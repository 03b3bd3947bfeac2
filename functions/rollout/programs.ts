import { type ExperimentConfig, InvalidInput, type RolloutJob } from '../../shared/contracts/index.ts';
import { parseBenchmark } from '../../shared/domain/benchmark.ts';
import type { Store, Stores } from '../../shared/ports/index.ts';
import type { Program } from './plays.ts';

/**
 * The texts of a job's programs, by id: from the environments store, or from the benchmark pool.
 *
 * @throws {NotFound} @throws {InvalidInput} when the pool does not hold a program that the job names
 */
export async function readPrograms(
  job: RolloutJob,
  config: ExperimentConfig,
  stores: Pick<Stores, 'environments' | 'corpora'>,
): Promise<ReadonlyMap<string, Program>> {
  if (job.kind === 'evaluate') return benchmarkPrograms(job, config.evaluation.benchmark, stores.corpora);
  const entries = job.environments.map(async ({ id, sourceKey, hintKey }) => {
    const [source, hint] = await Promise.all([
      read(stores.environments, sourceKey),
      read(stores.environments, hintKey),
    ]);
    return [id, { source, hint }] as const;
  });
  return new Map(await Promise.all(entries));
}

async function benchmarkPrograms(job: RolloutJob, key: string, corpora: Store) {
  const rows = parseBenchmark(text(await corpora.get(key)), key);
  const pool = new Map(rows.map(({ id, code }) => [id, { source: code, hint: '' }]));
  const unknown = job.environments.filter(({ id }) => !pool.has(id)).map(({ id }) => id);
  if (unknown.length > 0) throw new InvalidInput(key, [`does not hold ${unknown.join(', ')}`]);
  return pool;
}

async function read(store: Store, key: string | null): Promise<string> {
  return key === null ? '' : text(await store.get(key));
}

function text(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8');
}
