/** Error names on the wire, shared with the state machine's Retry and Catch lists. */
export const ERROR_NAMES = {
  invalidInput: 'InvalidInput',
  notFound: 'NotFound',
  policyUnavailable: 'PolicyUnavailable',
  policyMalformed: 'PolicyMalformed',
  promptTooLong: 'PromptTooLong',
  sandboxUnavailable: 'SandboxUnavailable',
  trainingFailed: 'TrainingFailed',
  leaseHeld: 'LeaseHeld',
  serviceUnavailable: 'ServiceUnavailable',
} as const;

/** Where an error came from: the boundary that was crossed when it happened. */
export type Boundary =
  | 'input'
  | 'store'
  | 'table'
  | 'queue'
  | 'policy'
  | 'sandbox'
  | 'training'
  | 'budget'
  | 'internal';

/**
 * Base of every error that the project throws on purpose.
 *
 * `name` is a literal, because the state machine's Retry and Catch lists name it and bundlers rename classes.
 * `retryable` says whether the same call can succeed later with the same input.
 */
export abstract class SpadeError extends Error {
  abstract override readonly name: string;
  abstract readonly boundary: Boundary;
  abstract readonly retryable: boolean;
}

/** A file, request or value that a person or another unit supplied is wrong; `problems` names each field and its fix. */
export class InvalidInput extends SpadeError {
  override readonly name = ERROR_NAMES.invalidInput;
  readonly boundary = 'input';
  readonly retryable = false;
  readonly problems: readonly string[];

  constructor(what: string, problems: readonly string[], options?: ErrorOptions) {
    super(`${what}: ${problems.join('; ')}`, options);
    this.problems = problems;
  }
}

/** An object or item that must exist does not. */
export class NotFound extends SpadeError {
  override readonly name = ERROR_NAMES.notFound;
  readonly boundary = 'store';
  readonly retryable = false;

  constructor(key: string, options?: ErrorOptions) {
    super(`nothing is stored at ${key}`, options);
  }
}

/** The policy server is down, slow or overloaded; the call may be made again. */
export class PolicyUnavailable extends SpadeError {
  override readonly name = ERROR_NAMES.policyUnavailable;
  readonly boundary = 'policy';
  readonly retryable = true;

  constructor(uri: string, reason: string, options?: ErrorOptions) {
    super(`policy server ${uri} did not answer: ${reason}`, options);
  }
}

/** The policy server answered with something that is not a completion. */
export class PolicyMalformed extends SpadeError {
  override readonly name = ERROR_NAMES.policyMalformed;
  readonly boundary = 'policy';
  readonly retryable = false;

  constructor(uri: string, reason: string, options?: ErrorOptions) {
    super(`policy server ${uri} answered with nonsense: ${reason}`, options);
  }
}

/** The prompt does not fit the model's context: an episode ends truncated, a design is lost; nothing is wrong with the server. */
export class PromptTooLong extends SpadeError {
  override readonly name = ERROR_NAMES.promptTooLong;
  readonly boundary = 'policy';
  readonly retryable = false;

  constructor(uri: string, reason: string, options?: ErrorOptions) {
    super(`policy server ${uri} refused a prompt as too long: ${reason}`, options);
  }
}

/** The sandbox cannot be trusted or started on this machine: nothing is run (fail closed). */
export class SandboxUnavailable extends SpadeError {
  override readonly name = ERROR_NAMES.sandboxUnavailable;
  readonly boundary = 'sandbox';
  readonly retryable = false;

  constructor(reason: string, options?: ErrorOptions) {
    super(`the sandbox cannot run here: ${reason}`, options);
  }
}

/** The training job ended without a usable policy. */
export class TrainingFailed extends SpadeError {
  override readonly name = ERROR_NAMES.trainingFailed;
  readonly boundary = 'training';
  readonly retryable = true;

  constructor(jobName: string, reason: string, options?: ErrorOptions) {
    super(`training job ${jobName} failed: ${reason}`, options);
  }
}

/** Another runner holds the experiment's lease. */
export class LeaseHeld extends SpadeError {
  override readonly name = ERROR_NAMES.leaseHeld;
  readonly boundary = 'table';
  readonly retryable = true;

  constructor(experiment: string, holder: string, options?: ErrorOptions) {
    super(`experiment ${experiment} is being run by ${holder}`, options);
  }
}

/** AWS (or the emulator) throttled or failed in a way that a later call can cure. */
export class ServiceUnavailable extends SpadeError {
  override readonly name = ERROR_NAMES.serviceUnavailable;
  readonly boundary = 'internal';
  readonly retryable = true;

  constructor(service: string, reason: string, options?: ErrorOptions) {
    super(`${service} is unavailable: ${reason}`, options);
  }
}

/** What the state machine retries: nothing was decided, and the same call may succeed. */
export const RETRYABLE_ERROR_NAMES = [
  ERROR_NAMES.policyUnavailable,
  ERROR_NAMES.serviceUnavailable,
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
] as const;

/**
 * What a failed RunTask is called. `AmazonECS.Unknown` is an answer with `failures`, such as missing Spot capacity; the others are
 * throttling and trouble of the service (throttling can also arrive inside InvalidParameterException). A task
 * that started and ended badly is `States.TaskFailed` instead, and is not in this list.
 */
export const TASK_START_ERROR_NAMES = [
  'AmazonECS.Unknown',
  'ECS.AmazonECSException',
  'ECS.ServerException',
  'ECS.ThrottlingException',
  'ECS.InvalidParameterException',
] as const;

/** What a CreateTrainingJob that did not start is called: throttling, or a quota that a running job may free. */
export const JOB_START_ERROR_NAMES = [
  'SageMaker.AmazonSageMakerException',
  'SageMaker.ThrottlingException',
  'SageMaker.ResourceLimitExceededException',
] as const;

/** Matches every error but those of the data flow itself, which no Catch can name. */
export const ANY_ERROR = 'States.ALL';
