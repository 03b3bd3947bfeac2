import { InvalidInput, ServiceUnavailable, type SpadeError } from '../contracts/index.ts';

/** Names by which AWS (and emulators) say "later": throttling, conflicts that resolve themselves, failures on their side. */
const TRANSIENT = new Set([
  'ConditionalRequestConflict',
  'InternalError',
  'InternalFailure',
  'InternalServerError',
  'LimitExceededException',
  'OperationAborted',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
  'TransactionInProgressException',
]);

/**
 * Turns an error of an AWS client into one of the project's: {@link ServiceUnavailable} when the same call may succeed later
 * (throttling, 5xx, no connection), else {@link InvalidInput}, whose message keeps AWS's own name and text (access denied, no such
 * bucket, validation).
 */
export function awsError(what: string, error: unknown): SpadeError {
  const name = nameOf(error);
  const reason = `${name}: ${error instanceof Error ? error.message : String(error)}`;
  return isTransient(error)
    ? new ServiceUnavailable(what, reason, { cause: error })
    : new InvalidInput(what, [reason], { cause: error });
}

/** Whether the same call may succeed later. SageMaker and ECS hide throttling inside the message of another error (T20). */
export function isTransient(error: unknown): boolean {
  if (TRANSIENT.has(nameOf(error))) return true;
  if (!(error instanceof Error)) return false;
  const status = statusOf(error);
  if (status !== undefined && status >= 500) return true;
  if (/throttl|rate exceeded|too many requests/i.test(error.message)) return true;
  return 'code' in error && /^(ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH)/.test(String(error.code));
}

/** `name` of an AWS error, e.g. `NoSuchKey`. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

/** HTTP status of an AWS error when there was an answer. */
export function statusOf(error: unknown): number | undefined {
  const metadata = (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata;
  return metadata?.httpStatusCode;
}
