/**
 * Every Retry and every Catch of the deployed state machine, found in its definition and driven one by one: for each error name of a Retry the
 * state fails so once and so for ever, for each Catch it fails with an error that nobody retries.
 */
import { describe, expect, test } from 'vitest';
import { type Definition, loadDefinition } from './definition.ts';
import { type Integration, IntegrationError, type Integrations, type Json } from './drivers/integrations.ts';
import { lambdaDriver } from './drivers/lambda.ts';
import { assertOverridesSize } from './drivers/limits.ts';
import { type ExecutionFailed, execute, statesOf } from './machine.ts';

interface Branching {
  readonly Type: string;
  readonly Resource: string;
  readonly Retry?: readonly { readonly ErrorEquals: readonly string[]; readonly MaxAttempts: number }[];
  readonly Catch?: readonly { readonly ErrorEquals: readonly string[]; readonly Next: string }[];
}

const definition = loadDefinition();
const STATES = statesOf(definition) as unknown as [string, Branching][];
const TASKS = STATES.filter(([, { Type }]) => Type === 'Task');
const MAPS = STATES.filter(([, { Type }]) => Type === 'Map');

/** One design with a repair, one shard, one evaluation: every task state is passed once at most. */
const UNITS: Record<string, (event: Record<string, Json>) => unknown> = {
  'plan-iteration': () => ({
    ...{ policyVersion: 1, nextPolicyVersion: 2, windowStart: 2, designs: [{ index: 0 }] },
    ...{ maxConcurrentDesigns: 1, maxConcurrentRollouts: 1, stop: null },
  }),
  'serve-policy': () => ({ ready: true, model: 'm' }),
  'design-environment': () => null,
  'validate-environment': ({ index, turn }) => ({ index, turn, accepted: false, reason: 'x', repair: turn === 0 }),
  'admit-environments': () => ({ shards: [{ shard: 0, job: 'a' }] }),
  'score-rollouts': () => ({
    train: true,
    training: {
      ...{ jobName: 'job', policyPrefix: 'p/', batchPrefix: 'b/', statePrefix: '', basePrefix: '', outputPrefix: 'o/' },
      ...{ checkpointPrefix: 'c/', hyperParameters: {}, instanceType: 'ml.g5.2xlarge', instanceCount: 1, volumeGb: 50 },
      ...{ maxRuntimeSeconds: 3600, maxWaitSeconds: 7200, spot: true, compression: 'NONE' },
      ...{ hasState: false, hasBase: false },
    },
  }),
  'plan-evaluation': () => ({ shards: [{ shard: 0, job: 'e' }] }),
  'publish-policy': () => ({ current: 2, promoted: true, reason: 'promoted' }),
  'close-iteration': () => null,
  'fail-iteration': () => null,
};

/** Runs the machine with one state going wrong as `fail` says; how often it was called, and how the execution ended. */
async function run(broken: string, fail: (call: number) => string | null, changed = definition) {
  // What has to happen for the state to be reached.
  const spotIsShort = broken.endsWith('OnDemand');
  const planFails = broken === 'FailIteration';
  const units = Object.entries(UNITS).map(([unit, answer]) => [
    unit,
    async (event: unknown) => {
      if (planFails && unit === 'plan-iteration') throw new IntegrationError('NotFound', 'told by the test');
      return answer(event as Record<string, Json>);
    },
  ]);
  const ecs: Integration = async (request) => {
    assertOverridesSize((request as Record<string, Json>).Overrides as Json);
    if (spotIsShort && JSON.stringify(request).includes('FARGATE_SPOT'))
      throw new IntegrationError('AmazonECS.Unknown', 'no capacity');
    return {};
  };
  const services: Integrations = {
    'arn:aws:states:::lambda:invoke': lambdaDriver(Object.fromEntries(units)),
    'arn:aws:states:::ecs:runTask.sync': ecs,
    'arn:aws:states:::sagemaker:createTrainingJob.sync': async () => ({
      ...{ TrainingJobStatus: 'Completed', SecondaryStatus: 'Completed' },
    }),
  };
  let calls = 0;
  const probe: Integration = async (request, signal) => {
    calls += 1;
    const name = fail(calls);
    if (name !== null) throw new IntegrationError(name, 'told by the test');
    const { Resource } = Object.fromEntries(STATES)[broken] as Branching;
    return services[Resource as keyof Integrations](request, signal);
  };
  const watched = withState(changed, broken, (state) => ({ ...state, Resource: 'probe' }));
  const error = await execute(
    watched,
    { experiment: 'demo', iteration: 2, attempt: 1 },
    {
      integrations: { ...services, probe } as Integrations,
      signal: new AbortController().signal,
      retryIntervals: Object.fromEntries(STATES.map(([name]) => [name, 0])),
    },
  ).then(
    () => null,
    (failure: ExecutionFailed) => failure,
  );
  return { calls, error };
}

/** A definition with one state changed, wherever it stands. */
function withState<T extends { States: object }>(from: T, name: string, change: (state: object) => object): T {
  const states = Object.entries(from.States).map(([key, state]) => {
    const inner = (state as { ItemProcessor?: { States: object } }).ItemProcessor;
    const same = inner ? { ...state, ItemProcessor: withState(inner, name, change) } : state;
    return [key, key === name ? change(same) : same];
  });
  return { ...from, States: Object.fromEntries(states) };
}

/** A definition in which reaching a state ends the execution and says so. */
const endingAt = (name: string): Definition =>
  withState(definition, name, () => ({ Type: 'Fail', Error: 'Reached', Cause: name }));

const RETRIES = TASKS.flatMap(([state, { Retry = [] }]) =>
  Retry.flatMap(({ ErrorEquals, MaxAttempts }) => ErrorEquals.map((error) => [state, error, MaxAttempts] as const)),
);
/** `States.TaskFailed` stands for every error but a timeout, so a Retry that names it comes before the Catch. */
const CATCHES = TASKS.flatMap(([state, { Retry = [], Catch = [] }]) => {
  const before = Retry.filter(({ ErrorEquals }) => ErrorEquals.includes('States.TaskFailed'));
  const calls = before.reduce((total, { MaxAttempts }) => total + MaxAttempts, 1);
  return Catch.map(({ Next }) => [state, Next, calls] as const);
});

describe('every Retry', () => {
  test.each(RETRIES)('%s, failing once with %s, goes on', async (state, name) => {
    const { calls, error } = await run(state, (call) => (call === 1 ? name : null));
    expect(calls).toBe(2);
    // FailIteration runs only when something else went wrong, and then the execution ends with that.
    expect(error?.error ?? null).toBe(state === 'FailIteration' ? 'NotFound' : null);
  });

  test.each(RETRIES)('%s, failing for ever with %s, is called %d times more', async (state, name, attempts) => {
    const { calls } = await run(state, () => name);
    expect(calls).toBe(1 + attempts);
  });

  test('there is one at every task state', () => {
    expect(TASKS.filter(([, { Retry = [] }]) => Retry.length === 0)).toEqual([]);
    expect(new Set(RETRIES.map(([state]) => state)).size).toBe(TASKS.length);
  });
});

describe('every Catch', () => {
  test.each(CATCHES)('%s, failing with what nobody names, goes to %s after %d calls', async (state, next, expected) => {
    const { calls, error } = await run(state, () => 'Unheard.Of', endingAt(next));
    expect(calls).toBe(expected);
    expect(error?.message).toContain(next);
  });

  test.each(MAPS.map(([name]) => name))('%s, whose items fail as a whole, goes to FailIteration', async (name) => {
    const failing = { StartAt: 'Broken', States: { Broken: { Type: 'Fail', Error: 'Broken', Cause: 'item' } } };
    const changed = withState(endingAt('FailIteration'), name, (state) => ({ ...state, ItemProcessor: failing }));
    expect((await run('PlanIteration', () => null, changed)).error?.message).toContain('FailIteration');
  });

  test('there is one at every task and map state', () => {
    expect([...TASKS, ...MAPS].filter(([, { Catch = [] }]) => Catch.length === 0)).toEqual([]);
  });
});

test('the longest names there may be leave an override far below 8,192 characters', async () => {
  const job = `${'e'.repeat(63)}/9999/evaluations/v9999/9999.json`;
  const variables = [
    { Name: 'SPADE_JOB', Value: job },
    { Name: 'SPADE_CAPACITY', Value: 'FARGATE_SPOT' },
  ];
  const overrides = { ContainerOverrides: [{ Name: 'rollout', Environment: variables }] };
  expect(JSON.stringify(overrides).length).toBeLessThan(400);
  expect(() => assertOverridesSize({ ContainerOverrides: [{ Environment: 'x'.repeat(8192) }] })).toThrow();
});
