import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { InvalidInput, IterationRequest } from '../../shared/contracts/index.ts';
import { describeIssues } from '../objects.ts';
import type { Log } from '../telemetry.ts';

/** What starting iterations needs of the world. */
export interface StartDeps {
  /** Starts an execution named by the request's id; one that was started before by this name counts as started. */
  readonly start: (request: IterationRequest) => Promise<'started' | 'already-started'>;
  readonly log: Log;
}

/**
 * Queue messages to executions. A message that cannot be used or started is reported as failed, so that only it comes back, and ends in
 * the dead-letter queue. The queue is FIFO: once a message of a group failed, later ones of that group are given back as well,
 * so that order holds.
 */
export async function startIterations(event: Pick<SQSEvent, 'Records'>, deps: StartDeps): Promise<SQSBatchResponse> {
  const failed: string[] = [];
  const blocked = new Set<string>();
  for (const record of event.Records) {
    const group = record.attributes.MessageGroupId ?? record.messageId;
    if (!blocked.has(group) && (await startOne(record, deps))) continue;
    blocked.add(group);
    failed.push(record.messageId);
  }
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function startOne(record: SQSRecord, { start, log }: StartDeps): Promise<boolean> {
  const { messageId } = record;
  try {
    const request = parseRequest(record.body);
    const outcome = await start(request);
    log.info('iteration requested', { messageId, ...request, outcome });
    return true;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
    log.error('iteration not started', { messageId, error: name, message });
    return false;
  }
}

function parseRequest(body: string): IterationRequest {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (cause) {
    throw new InvalidInput('iteration request', ['the message is not JSON'], { cause });
  }
  const parsed = IterationRequest.safeParse(value);
  if (!parsed.success) throw new InvalidInput('iteration request', describeIssues(parsed.error));
  return parsed.data;
}
