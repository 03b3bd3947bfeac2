import { Duration } from 'aws-cdk-lib';
import { JitterType, type RetryProps } from 'aws-cdk-lib/aws-stepfunctions';
import {
  JOB_START_ERROR_NAMES,
  RETRYABLE_ERROR_NAMES,
  TASK_START_ERROR_NAMES,
} from '../../../shared/contracts/errors.ts';

/**
 * A unit call that decided nothing is made again: at most 2 + 4 + 8 + 16 = 30 s of waiting, full jitter, so that a throttled
 * fan-out does not come back as one wave. Longer outages stop the iteration, whose request can be replayed.
 */
export const RETRY_UNIT: RetryProps = {
  errors: [...RETRYABLE_ERROR_NAMES],
  interval: Duration.seconds(2),
  backoffRate: 2,
  maxAttempts: 4,
  maxDelay: Duration.seconds(30),
  jitterStrategy: JitterType.FULL,
};

/** Spot: two more tries, then the Catch takes the shard to on-demand capacity rather than wait for a market. */
export const RETRY_SPOT: RetryProps = {
  errors: [...TASK_START_ERROR_NAMES],
  interval: Duration.seconds(5),
  backoffRate: 2,
  maxAttempts: 2,
  jitterStrategy: JitterType.FULL,
};

/** On demand: RunTask allows 20 calls a second and account, so throttling passes; missing quota does not. */
export const RETRY_ON_DEMAND: RetryProps = {
  errors: [...TASK_START_ERROR_NAMES],
  interval: Duration.seconds(10),
  backoffRate: 2,
  maxAttempts: 4,
  maxDelay: Duration.seconds(60),
  jitterStrategy: JitterType.FULL,
};

/** A worker that died (Spot interruption, lost host) left its finished environments behind: one fresh task goes on from there. */
export const RETRY_LOST_TASK: RetryProps = {
  errors: ['States.TaskFailed'],
  interval: Duration.seconds(5),
  backoffRate: 1,
  maxAttempts: 1,
};

/** Only the start of a job is tried again: a failed job's name can never be used a second time. */
export const RETRY_JOB_START: RetryProps = {
  errors: [...JOB_START_ERROR_NAMES],
  interval: Duration.seconds(30),
  backoffRate: 2,
  maxAttempts: 4,
  maxDelay: Duration.minutes(5),
  jitterStrategy: JitterType.FULL,
};
