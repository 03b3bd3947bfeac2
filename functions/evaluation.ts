import {
  type BenchmarkScore,
  type ExperimentConfig,
  iterationKeys,
  RolloutJob,
  type ShardsOutput,
} from '../shared/contracts/index.ts';
import { type BenchmarkInstance, benchmarkScore, parseBenchmark, sampleBenchmark } from '../shared/domain/benchmark.ts';
import { deriveSeed } from '../shared/domain/seeds.ts';
import type { Store, Stores } from '../shared/ports/index.ts';
import { findEpisodes, readObject, writeOnce } from './objects.ts';

/** One benchmark score: which version, measured in which iteration. */
export interface EvaluationTask {
  readonly config: ExperimentConfig;
  readonly iteration: number;
  readonly policyVersion: number;
}

/**
 * Writes the shards that play the benchmark with one version. The sample depends on the benchmark alone, so all versions of all runs
 * are measured by the same instances (M26).
 * @param firstShard number of the first shard in the state machine's list
 */
export async function planBenchmark(
  { config, iteration, policyVersion }: EvaluationTask,
  stores: Pick<Stores, 'episodes' | 'corpora'>,
  firstShard = 0,
): Promise<ShardsOutput['shards']> {
  const { benchmark: key, instances } = config.evaluation;
  const rows = parseBenchmark(new TextDecoder().decode(await stores.corpora.get(key)), key);
  const sample = sampleBenchmark(rows, instances, deriveSeed('benchmark', key));
  const keys = iterationKeys(config.experiment, iteration);
  const jobs = inShards(sample, config.limits.environmentsPerShard).map((shard, number) => ({
    key: keys.evaluationJob(policyVersion, number),
    job: { ...jobOf(config, iteration, policyVersion), shard: number, environments: shard.map(environmentOf) },
  }));
  await Promise.all(jobs.map(({ key: jobKey, job }) => writeOnce(stores.episodes, jobKey, RolloutJob, job)));
  return jobs.map(({ key: job }, number) => ({ shard: firstShard + number, job }));
}

function jobOf(config: ExperimentConfig, iteration: number, policyVersion: number) {
  return { experiment: config.experiment, iteration, policyVersion, kind: 'evaluate' as const };
}

function environmentOf({ id, skill, seeds }: BenchmarkInstance): RolloutJob['environments'][number] {
  return { id, skill, seeds: [...seeds], sourceKey: null, hintKey: null };
}

/** Cuts a list into pieces of at most `size`. */
export function inShards<T>(items: readonly T[], size: number): T[][] {
  const shards: T[][] = [];
  for (let start = 0; start < items.length; start += size) shards.push(items.slice(start, start + size));
  return shards;
}

/**
 * The score of one version from what its shards left; null when it was not evaluated in this iteration, or too little was played.
 * @param task the same as was planned
 */
export async function readBenchmark(task: EvaluationTask, episodes: Store): Promise<BenchmarkScore | null> {
  const { config, iteration, policyVersion } = task;
  const keys = iterationKeys(config.experiment, iteration);
  const jobs: RolloutJob[] = [];
  for (let shard = 0; await episodes.exists(keys.evaluationJob(policyVersion, shard)); shard++) {
    jobs.push(await readObject(episodes, keys.evaluationJob(policyVersion, shard), RolloutJob));
  }
  if (jobs.length === 0) return null;
  const played = await Promise.all(
    jobs.map((job) => findEpisodes(episodes, keys.evaluationEpisodes(policyVersion, job.shard))),
  );
  const environments = jobs.flatMap((job) => job.environments);
  const planned = environments.reduce((total, environment) => total + environment.seeds.length, 0);
  const skills = new Map(environments.map(({ id, skill }) => [id, skill]));
  return benchmarkScore(
    policyVersion,
    played.flatMap((shard) => shard ?? []),
    planned,
    skills,
    config.agent.winThreshold,
  );
}
