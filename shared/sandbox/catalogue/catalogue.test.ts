import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../index.ts';
import { plantCanary, ROWS } from './index.ts';
import { runRow, SUITE_LIMITS } from './run.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  plantCanary();
  sandbox = await startSandbox({ limits: SUITE_LIMITS, slots: 8 });
});
afterAll(() => sandbox.close());

/** Without validation: what the walls alone make of every row. The other ways of running them are `npm run check:sandbox`. */
describe.concurrent('a program that was not validated', () => {
  it.each(ROWS.map((row) => [row.id, row.title, row] as const))('%s %s', async (_id, _title, row) => {
    expect((await runRow(sandbox, row, 'unvalidated')).complaint).toBeNull();
  });
});

describe('the catalogue', () => {
  it('names every row once', () => {
    expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
  });
});
