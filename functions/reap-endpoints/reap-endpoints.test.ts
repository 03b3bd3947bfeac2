import { expect, test } from 'vitest';
import { type LeasedEndpoint, reapEndpoints } from './reap-endpoints.ts';

const now = () => new Date('2026-12-01T12:00:00Z');
const endpoint = (experiment: string, expires: string | null): LeasedEndpoint => ({
  name: 'spade-dev',
  experiment,
  expires: expires === null ? null : new Date(expires),
});

function reap(endpoints: LeasedEndpoint[], release: (experiment: string) => Promise<void> = async () => {}) {
  const released: string[] = [];
  const deps = {
    endpoints: async () => endpoints,
    release: async (experiment: string) => {
      released.push(experiment);
      await release(experiment);
    },
    now,
  };
  return { run: () => reapEndpoints(deps), released };
}

test('what is leased stays, what is over goes, to the second', async () => {
  const { run, released } = reap([endpoint('kept', '2026-12-01T12:00:01Z'), endpoint('over', '2026-12-01T12:00:00Z')]);
  expect(await run()).toEqual({ released: ['over'] });
  expect(released).toEqual(['over']);
});

test('an endpoint that says nothing readable would bill for ever, and goes', async () => {
  const { run } = reap([endpoint('unknown', null)]);
  expect(await run()).toEqual({ released: ['unknown'] });
});

test('one that cannot be removed does not keep the others, and is told', async () => {
  const { run, released } = reap([endpoint('stuck', null), endpoint('free', null)], async (experiment) => {
    if (experiment === 'stuck') throw new Error('still deleting');
  });
  await expect(run()).rejects.toThrow('still deleting');
  expect(released).toEqual(['stuck', 'free']);
});
