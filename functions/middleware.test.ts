import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { InvalidInput, NotFound } from '../shared/contracts/index.ts';
import { createUnit, lambdaEntry } from './middleware.ts';

const Input = z.strictObject({ experiment: z.string(), iteration: z.int() });

function unit(run: (input: z.infer<typeof Input>, signal: AbortSignal) => Promise<unknown>) {
  const lines: [string, Record<string, unknown>][] = [];
  const counted: string[] = [];
  const write = (message: string, fields: Record<string, unknown>) => void lines.push([message, fields]);
  const telemetry = {
    log: { info: write, error: write },
    count: (name: string, outcome: string) => void counted.push(`${name} ${outcome}`),
  };
  return { handler: createUnit({ unit: 'plan', input: Input, telemetry, run }), lines, counted };
}

describe('createUnit', () => {
  it('hands over the parsed event and logs its ids once', async () => {
    const { handler, lines, counted } = unit(async ({ iteration }) => iteration + 1);
    expect(await handler({ experiment: 'test', iteration: 1 })).toBe(2);
    expect(lines).toMatchObject([['plan completed', { unit: 'plan', experiment: 'test', iteration: 1 }]]);
    expect(counted).toEqual(['plan completed']);
  });

  it('refuses an unknown key and names it, before the use case runs', async () => {
    const { handler, counted } = unit(async () => {
      throw new Error('ran');
    });
    const refused = handler({ experiment: 'test', iteration: 1, colour: 'red' });
    await expect(refused).rejects.toThrow(InvalidInput);
    await expect(refused).rejects.toThrow(/colour/);
    expect(counted).toEqual(['plan failed']);
  });

  it('lets a typed error through under its own name, and logs its boundary', async () => {
    const { handler, lines } = unit(async () => {
      throw new NotFound('a key');
    });
    await expect(handler({ experiment: 'test', iteration: 1 })).rejects.toMatchObject({ name: 'NotFound' });
    expect(lines).toMatchObject([['plan failed', { error: 'NotFound', boundary: 'store', retryable: false }]]);
  });

  it('aborts the signal before the deadline of the host', async () => {
    const { handler } = unit(
      (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'))),
    );
    const context = { getRemainingTimeInMillis: () => 1520 };
    await expect(handler({ experiment: 'test', iteration: 1 }, context)).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('serves calls side by side', async () => {
    const { handler } = unit(async ({ iteration }) => {
      await new Promise((resolve) => setTimeout(resolve, 20 - iteration));
      return iteration;
    });
    const events = [1, 2, 3, 4].map((iteration) => handler({ experiment: 'test', iteration }));
    expect(await Promise.all(events)).toEqual([1, 2, 3, 4]);
  });
});

describe('lambdaEntry', () => {
  it('makes the handler once, at the first call', async () => {
    let made = 0;
    const handler = lambdaEntry(() => {
      made += 1;
      return async (event) => event;
    });
    expect(made).toBe(0);
    expect([await handler(1), await handler(2), made]).toEqual([1, 2, 1]);
  });
});
