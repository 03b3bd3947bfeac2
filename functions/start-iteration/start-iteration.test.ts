import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type IterationRequest, ServiceUnavailable } from '../../shared/contracts/index.ts';
import { startIterations } from './start-iteration.ts';

const record = (messageId: string, body: unknown, group = 'test') =>
  ({
    messageId,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: { MessageGroupId: group },
  }) as unknown as SQSRecord;
const request = (iteration: number): IterationRequest => ({ experiment: 'test', iteration, attempt: 1 });

async function deliver(
  records: SQSRecord[],
  start: (request: IterationRequest) => Promise<'started' | 'already-started'>,
) {
  const lines: string[] = [];
  const log = { info: (message: string) => lines.push(message), error: (message: string) => lines.push(message) };
  const { batchItemFailures } = await startIterations({ Records: records }, { start, log: log as never });
  return { failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier), lines };
}

describe('startIterations', () => {
  it('starts each request, and takes one that was started before as done', async () => {
    const started: number[] = [];
    const { failed } = await deliver([record('a', request(1)), record('b', request(1))], async ({ iteration }) => {
      started.push(iteration);
      return started.length === 1 ? 'started' : 'already-started';
    });
    expect(failed).toEqual([]);
    expect(started).toEqual([1, 1]);
  });

  it.each([
    ['no JSON', '{'],
    ['an unknown key', { ...request(1), priority: 1 }],
    ['a bad id', { ...request(1), experiment: 'Not An Id' }],
  ])('gives back a message with %s, says so, and starts the others', async (_, body) => {
    const { failed, lines } = await deliver(
      [record('bad', body, 'one'), record('good', request(2), 'two')],
      async () => 'started',
    );
    expect(failed).toEqual(['bad']);
    expect(lines).toEqual(['iteration not started', 'iteration requested']);
  });

  it('gives back what follows a failure in the same group, so that order holds', async () => {
    const failing = async ({ iteration }: IterationRequest) => {
      if (iteration === 1) throw new ServiceUnavailable('states', 'throttled');
      return 'started' as const;
    };
    const { failed } = await deliver(
      [record('a', request(1)), record('b', request(2)), record('c', request(3), 'other')],
      failing,
    );
    expect(failed).toEqual(['a', 'b']);
  });
});
