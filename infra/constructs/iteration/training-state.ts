import { CustomState } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { RETRY_JOB_START } from './errors.ts';
import { type BucketNames, PROJECT_TAG_VALUE, REQUEST_TAGS, type TrainerJob } from './integrations.ts';

/** Upper bound of one training job as the state machine sees it, seconds: 5 days; the job's own limits are the experiment's. */
export const TRAINING_TIMEOUT_SECONDS = 5 * 24 * 3600;

/** The trainer on every GPU of an instance. */
const TRAINER_ENTRYPOINT = [
  ...['python', '-m', 'torch.distributed.run', '--standalone', '--nproc-per-node=gpu'],
  ...['-m', 'grpo', '--root', '/opt/ml'],
];

export interface TrainingStateProps {
  readonly job: TrainerJob;
  readonly buckets: BucketNames;
  readonly stage: string;
}

/** Path of what `score-rollouts` says about the job. */
const training = '$.score.training';

/**
 * `sagemaker:createTrainingJob.sync` with the whole request: the L2 state lacks managed spot, checkpoints and the maximum
 * wait. Weights go to /opt/ml/model and come out as a folder or an archive; everything else goes through the checkpoint prefix, which
 * SageMaker fills the job's folder from and keeps in step (ADR 0004).
 */
export function trainingState(scope: Construct, id: string, { job, buckets, stage }: TrainingStateProps): CustomState {
  const state = new CustomState(scope, id, {
    stateJson: {
      Type: 'Task',
      Comment: 'Phase 6, train: GRPO on the shared policy, one job per iteration',
      Resource: 'arn:aws:states:::sagemaker:createTrainingJob.sync',
      TimeoutSeconds: TRAINING_TIMEOUT_SECONDS,
      Parameters: {
        'TrainingJobName.$': `${training}.jobName`,
        RoleArn: job.roleArn,
        AlgorithmSpecification: {
          TrainingImage: job.image,
          TrainingInputMode: 'File',
          // Named, because SageMaker would otherwise add the argument `train` to the image's own.
          ContainerEntrypoint: TRAINER_ENTRYPOINT,
        },
        'HyperParameters.$': `${training}.hyperParameters`,
        'InputDataConfig.$': '$.channels.list',
        OutputDataConfig: {
          'S3OutputPath.$': inBucket(buckets.policies, `${training}.outputPrefix`),
          'CompressionType.$': `${training}.compression`,
        },
        CheckpointConfig: {
          'S3Uri.$': inBucket(buckets.policies, `${training}.checkpointPrefix`),
          LocalPath: '/opt/ml/checkpoints',
        },
        ResourceConfig: {
          'InstanceType.$': `${training}.instanceType`,
          'InstanceCount.$': `${training}.instanceCount`,
          'VolumeSizeInGB.$': `${training}.volumeGb`,
        },
        'StoppingCondition.$': '$.stopping',
        'EnableManagedSpotTraining.$': `${training}.spot`,
        // The container talks to nobody: data comes and goes by the platform.
        EnableNetworkIsolation: true,
        Environment: job.environment,
        Tags: [
          { Key: REQUEST_TAGS.project, Value: PROJECT_TAG_VALUE },
          { Key: REQUEST_TAGS.stage, Value: stage },
          { Key: REQUEST_TAGS.experiment, 'Value.$': '$.experiment' },
        ],
      },
      ResultSelector: { 'status.$': '$.TrainingJobStatus', 'secondaryStatus.$': '$.SecondaryStatus' },
      ResultPath: '$.trainingJob',
    },
  });
  return state.addRetry(RETRY_JOB_START);
}

/** A File-mode channel over a whole prefix, as a payload template. */
export function channel(name: string, bucket: string, prefixPath: string): Record<string, unknown> {
  return {
    ChannelName: name,
    InputMode: 'File',
    DataSource: {
      S3DataSource: {
        S3DataType: 'S3Prefix',
        'S3Uri.$': inBucket(bucket, prefixPath),
        S3DataDistributionType: 'FullyReplicated',
      },
    },
  };
}

/** Intrinsic that makes the S3 URI of a prefix that stands in the state. */
function inBucket(bucket: string, prefixPath: string): string {
  return `States.Format('s3://${bucket}/{}', ${prefixPath})`;
}
