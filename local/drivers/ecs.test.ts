import { expect, test } from 'vitest';
import { ecsDriver } from './ecs.ts';
import type { Json } from './integrations.ts';

const signal = new AbortController().signal;
const request = (job: string) =>
  ({
    TaskDefinition: 'rollout:1',
    Overrides: { ContainerOverrides: [{ Name: 'rollout', Environment: [{ Name: 'SPADE_JOB', Value: job }] }] },
  }) as unknown as Json;

function driver(script: string, lines: string[] = [], failures: string[] = []) {
  return ecsDriver({
    command: process.execPath,
    args: ['-e', script],
    env: { SPADE_JOB: 'none', SPADE_STAGE: 'local' },
    onLine: (line) => lines.push(line),
    onFailure: (failure) => failures.push(failure),
  });
}

test('a task sees the definition’s variables with the overrides over them, and nothing of ours', async () => {
  process.env.SPADE_SECRET = 'of the host';
  const lines: string[] = [];
  const task = driver('console.log(JSON.stringify(process.env))', lines);
  expect(await task(request('job-7'), signal)).toMatchObject({ LastStatus: 'STOPPED' });
  const seen = JSON.parse(lines[0] as string);
  expect(seen).toMatchObject({ SPADE_JOB: 'job-7', SPADE_STAGE: 'local' });
  expect(seen.SPADE_SECRET).toBeUndefined();
});

test('a task that exits badly is States.TaskFailed, with the end of its error output', async () => {
  const failures: string[] = [];
  const task = driver('console.error("disk full"); process.exit(3)', [], failures);
  await expect(task(request('x'), signal)).rejects.toMatchObject({
    name: 'States.TaskFailed',
    message: expect.stringMatching(/"ExitCode":3.*disk full/),
  });
  expect(failures).toEqual([expect.stringMatching(/"ExitCode":3.*disk full/)]);
});

test('overrides of more than 8,192 characters are refused, a pointer to a large job is not', async () => {
  const task = driver('');
  await expect(task(request('x'.repeat(300_000)), signal)).rejects.toMatchObject({
    name: 'ECS.InvalidParameterException',
  });
  await expect(task(request('demo/0001/rollouts/0000.json'), signal)).resolves.toBeDefined();
});

test('an aborted run ends its tasks', async () => {
  const stop = new AbortController();
  const task = driver('setInterval(() => {}, 1000)')(request('x'), stop.signal);
  setTimeout(() => stop.abort(), 300);
  await expect(task).rejects.toMatchObject({ name: 'States.TaskFailed' });
});
