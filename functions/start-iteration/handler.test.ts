import { ExecutionAlreadyExists, type StartExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../../shared/contracts/index.ts';
import { NO_TELEMETRY } from '../telemetry.ts';
import { createHandler } from './handler.ts';

const ARN = 'arn:aws:states:us-east-1:123456789012:stateMachine:SelfPlayIteration';
const request = { experiment: 'test', iteration: 3, attempt: 2 };
/** As SQS delivers it, with fields that the unit does not know. */
const event = {
  Records: [
    {
      messageId: 'm1',
      receiptHandle: 'r',
      body: JSON.stringify(request),
      attributes: { MessageGroupId: 'test', ApproximateReceiveCount: '1' },
      eventSource: 'aws:sqs',
    },
  ],
};

function answering(answer: () => unknown) {
  const sent: StartExecutionCommand[] = [];
  const client = {
    send: async (command: StartExecutionCommand) => {
      sent.push(command);
      return answer();
    },
  };
  return { handler: createHandler({ SPADE_STATE_MACHINE: ARN }, client as never, NO_TELEMETRY), sent };
}

describe('start-iteration', () => {
  it('starts an execution that is named by the request', async () => {
    const { handler, sent } = answering(() => ({}));
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(sent[0]?.input).toEqual({ stateMachineArn: ARN, name: 'test-i0003-a2', input: JSON.stringify(request) });
  });

  it('takes an execution that exists as started', async () => {
    const { handler } = answering(() => {
      throw new ExecutionAlreadyExists({ $metadata: {}, message: 'exists' });
    });
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
  });

  it('gives the message back when the service fails', async () => {
    const { handler } = answering(() => {
      throw new Error('throttled');
    });
    expect(await handler(event)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm1' }] });
  });

  it('refuses to be made without a state machine', () => {
    expect(() => createHandler({}, {} as never, NO_TELEMETRY)).toThrow(InvalidInput);
  });
});
