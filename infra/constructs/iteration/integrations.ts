import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IterationUnit } from '../../units.ts';

/** The Lambda functions that the state machine calls, by the unit they run. */
export type IterationFunctions = Readonly<Record<IterationUnit, IFunction>>;

/** The Fargate task that plays one shard. Strings, because a request names them and nothing else is done with them here. */
export interface RolloutTask {
  readonly clusterArn: string;
  /** With its revision: an execution in flight keeps its own when a deployment registers the next. */
  readonly taskDefinitionArn: string;
  /** Container that reads `SPADE_JOB`. */
  readonly containerName: string;
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

/** What a CreateTrainingJob request holds that no experiment decides. */
export interface TrainerJob {
  readonly image: string;
  readonly roleArn: string;
  /** Environment of the container; keys and values up to 512 characters. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Names of the buckets that requests point into. */
export interface BucketNames {
  readonly episodes: string;
  readonly policies: string;
}

/** Tag keys that every request carries, so that cost reports and the reaper find what an experiment started. */
export const REQUEST_TAGS = { project: 'spade:project', stage: 'spade:stage', experiment: 'spade:experiment' } as const;

/** Value of {@link REQUEST_TAGS.project}. */
export const PROJECT_TAG_VALUE = 'spade';
