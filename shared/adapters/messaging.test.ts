import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { InvalidInput, ServiceUnavailable } from '../contracts/index.ts';
import { openEvents } from './events.ts';
import { createBusEvents } from './events-bridge.ts';
import { createFileEvents } from './events-file.ts';
import { fakeWire, jsonAnswer, jsonError } from './fake-aws.ts';
import { openQueue } from './queue.ts';
import { createFileQueue } from './queue-file.ts';
import { createSqsQueue } from './queue-sqs.ts';

const request = (iteration: number, attempt = 1) => ({ experiment: 'exp', iteration, attempt });
const completed = { ...request(1), policyVersion: 1, stopReason: null, next: request(2) };
const folder = () => mkdtemp(join(tmpdir(), 'spade-mail-'));

describe('queue in a folder', () => {
  it('keeps a request until it is acknowledged, whoever asks, in order', async () => {
    const path = await folder();
    const queue = createFileQueue(path);
    for (const i of [10, 2, 1]) await queue.send(request(i));
    expect(await queue.receive()).toEqual(request(10));
    expect(await createFileQueue(path).receive()).toEqual(request(10));
    await queue.acknowledge(request(10));
    await queue.acknowledge(request(10));
    expect(await createFileQueue(path).receive()).toEqual(request(2));
  });

  it('takes a request once, even after it was done', async () => {
    const queue = createFileQueue(await folder());
    await Promise.all([queue.send(request(1)), queue.send(request(1))]);
    await queue.acknowledge(request(1));
    await queue.send(request(1));
    expect(await queue.receive()).toBeNull();
    await queue.send(request(1, 2));
    expect(await queue.receive()).toEqual(request(1, 2));
  });
});

describe('events in a folder', () => {
  it('keep a completed iteration once and every failure', async () => {
    const events = createFileEvents(await folder());
    await events.iterationCompleted(completed);
    await events.iterationCompleted(completed);
    const failed = { experiment: 'exp', iteration: 2, error: 'TrainingFailed', cause: 'out of memory' };
    await events.iterationFailed(failed);
    await events.iterationFailed(failed);
    const pending = await events.pending();
    expect(pending.map((letter) => letter.id)).toEqual([
      'exp-i0001-completed',
      'exp-i0002-failed-1',
      'exp-i0002-failed-2',
    ]);
    expect(pending[0]?.body).toEqual({ type: 'IterationCompleted', detail: completed });
    await events.acknowledge('exp-i0001-completed');
    expect(await events.pending()).toHaveLength(2);
  });
});

describe('queue on SQS', () => {
  const url = 'https://sqs.eu-central-1.amazonaws.com/1/iterations.fifo';

  it('sends to the group of the experiment, deduplicated by request', async () => {
    const wire = fakeWire(() => jsonAnswer({ MessageId: '1' }));
    await createSqsQueue(new SQSClient({ ...wire.config, md5: false }), url).send(request(3, 2));
    expect(JSON.parse(wire.requests[0]?.body ?? '')).toEqual({
      QueueUrl: url,
      MessageBody: JSON.stringify(request(3, 2)),
      MessageGroupId: 'exp',
      MessageDeduplicationId: 'exp-i0003-a2',
    });
  });

  it('tells what may pass from what will not', async () => {
    const queue = (name: string) => createSqsQueue(new SQSClient(fakeWire(() => jsonError(name, 'm')).config), url);
    await expect(queue('ThrottlingException').send(request(1))).rejects.toBeInstanceOf(ServiceUnavailable);
    await expect(queue('QueueDoesNotExist').send(request(1))).rejects.toBeInstanceOf(InvalidInput);
  });
});

describe('events on a bus', () => {
  const bus = (answer: object) => {
    const wire = fakeWire(() => jsonAnswer(answer));
    return { events: createBusEvents(new EventBridgeClient(wire.config), 'spade'), requests: wire.requests };
  };

  it('carry source, type and detail', async () => {
    const { events, requests } = bus({ FailedEntryCount: 0, Entries: [{ EventId: '1' }] });
    await events.iterationCompleted(completed);
    const [entry] = JSON.parse(requests[0]?.body ?? '').Entries;
    expect(entry).toMatchObject({ EventBusName: 'spade', Source: 'spade', DetailType: 'IterationCompleted' });
    expect(JSON.parse(entry.Detail)).toEqual(completed);
  });

  it('that the bus did not take are an error, although it answered 200', async () => {
    const failed = (code: string) =>
      bus({ FailedEntryCount: 1, Entries: [{ ErrorCode: code, ErrorMessage: 'm' }] }).events;
    await expect(failed('ThrottlingException').iterationCompleted(completed)).rejects.toBeInstanceOf(
      ServiceUnavailable,
    );
    await expect(failed('NotAuthorized').iterationCompleted(completed)).rejects.toBeInstanceOf(InvalidInput);
  });

  it('cut a cause that is a whole log', async () => {
    const { events, requests } = bus({ FailedEntryCount: 0, Entries: [{ EventId: '1' }] });
    await events.iterationFailed({ experiment: 'exp', iteration: 1, error: 'E', cause: 'x'.repeat(500_000) });
    expect(requests[0]?.body.length).toBeLessThan(10_000);
  });
});

describe('addresses', () => {
  it.each(['', 'sqs', 'http://x', 'file://relative/path', 's3://bucket'])('refuse %j, and say what would do', (uri) => {
    expect(() => openQueue(uri)).toThrow(InvalidInput);
    expect(() => openEvents(uri)).toThrow(/expected file:\/\//);
  });
});
