import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { requestId } from '../contracts/index.ts';
import type { Queue } from '../ports/index.ts';
import { clientSettings } from './aws-client.ts';
import { awsError } from './aws-errors.ts';

/** {@link createSqsQueue} with the credentials of the environment. */
export function openSqsQueue(url: string): Queue {
  return createSqsQueue(new SQSClient(clientSettings(10_000)), url);
}

/**
 * The iteration queue on SQS FIFO. One group an experiment keeps its iterations in order; the request's id deduplicates for SQS's five
 * minutes, and the execution name after that.
 *
 * @param url - of the queue, with scheme
 */
export function createSqsQueue(client: SQSClient, url: string): Queue {
  return {
    async send(request) {
      const message = new SendMessageCommand({
        QueueUrl: url,
        MessageBody: JSON.stringify(request),
        MessageGroupId: request.experiment,
        MessageDeduplicationId: requestId(request),
      });
      try {
        await client.send(message);
      } catch (error) {
        throw awsError(`queue ${url}`, error);
      }
    },
  };
}
