import {
  type Admission,
  type ExperimentConfig,
  environmentKeys,
  type RolloutJob,
} from '../../shared/contracts/index.ts';
import { deriveSeed } from '../../shared/domain/seeds.ts';
import { inShards } from '../evaluation.ts';

/** What phase 4 plays: shards of environments, each with one list of seeds for both arms (M5). */
export function rolloutJobs(config: ExperimentConfig, admission: Admission, policyVersion: number): RolloutJob[] {
  const { experiment, iteration } = admission;
  return inShards(admission.environments, config.limits.environmentsPerShard).map((environments, shard) => ({
    experiment,
    iteration,
    shard,
    policyVersion,
    kind: 'rollout' as const,
    environments: environments.map(({ hash, skill }) => ({
      id: hash,
      sourceKey: environmentKeys(experiment, hash).source,
      hintKey: environmentKeys(experiment, hash).hint,
      seeds: episodeSeeds(config, iteration, hash),
      skill,
    })),
  }));
}

/** Seeds of an environment's episodes in one iteration: by hash of (run, iteration, environment, episode), never counted up. */
export function episodeSeeds(config: ExperimentConfig, iteration: number, hash: string): number[] {
  return Array.from({ length: config.agent.episodes }, (_, index) =>
    deriveSeed(config.seed, config.experiment, iteration, hash, index),
  );
}
