import { beforeAll, describe, expect, test } from 'vitest';
import { type Definition, loadDefinition } from './definition.ts';
import { IntegrationError, type Integrations, type Json } from './drivers/integrations.ts';
import { lambdaDriver } from './drivers/lambda.ts';
import { type ExecutionFailed, execute, statesOf } from './machine.ts';

const REQUEST = { experiment: 'demo', iteration: 2, attempt: 1 };
const ids = { experiment: 'demo', iteration: 2, attempt: 1 };

const TRAINING = {
  jobName: 'spade-demo-i0002-a1',
  policyPrefix: 'demo/v0001/model/',
  batchPrefix: 'demo/0002/batch/',
  statePrefix: 'checkpoints/demo/job/final/',
  outputPrefix: 'demo/training/',
  checkpointPrefix: 'checkpoints/demo/spade-demo-i0002-a1/',
  hyperParameters: { learning_rate: '0.001' },
  instanceType: 'ml.g5.2xlarge',
  instanceCount: 1,
  volumeGb: 50,
  maxRuntimeSeconds: 3600,
  maxWaitSeconds: 7200,
  spot: true,
  compression: 'NONE',
  hasState: true,
  basePrefix: '',
  hasBase: false,
};

const PLAN = {
  policyVersion: 1,
  nextPolicyVersion: 2,
  windowStart: 2,
  designs: [{ index: 0 }, { index: 1 }],
  maxConcurrentDesigns: 2,
  maxConcurrentRollouts: 2,
  stop: null,
};

type Answers = Record<string, (event: Record<string, Json>) => unknown>;

/** Units that answer as a whole, healthy iteration does. */
const healthy: Answers = {
  'plan-iteration': () => PLAN,
  'serve-policy': () => ({ ready: true, model: 'demo-v0001' }),
  'design-environment': ({ index, turn }) => ({ index, turn }),
  'validate-environment': ({ index, turn }) => ({ index, turn, accepted: true, reason: null, repair: false }),
  'admit-environments': () => ({
    shards: [
      { shard: 0, job: 'a' },
      { shard: 1, job: 'b' },
    ],
  }),
  'score-rollouts': () => ({ train: true, training: TRAINING }),
  'plan-evaluation': () => ({ shards: [{ shard: 0, job: 'e' }] }),
  'publish-policy': () => ({ current: 2, promoted: true, reason: 'promoted' }),
  'close-iteration': () => null,
  'fail-iteration': () => null,
};

interface Call {
  readonly resource: string;
  readonly request: Json;
}

/** Runs the machine with these units; returns what it called, in order. */
async function run(
  overrides: Answers = {},
  services: Partial<Record<'ecs' | 'sagemaker', (request: Json) => Json>> = {},
) {
  const calls: Call[] = [];
  const answers = { ...healthy, ...overrides };
  const units = Object.fromEntries(
    Object.entries(answers).map(([unit, answer]) => [
      unit,
      async (event: unknown) => {
        calls.push({ resource: unit, request: event as Json });
        return answer(event as Record<string, Json>);
      },
    ]),
  );
  const service = (name: 'ecs' | 'sagemaker', answer: Json) => async (request: Json) => {
    calls.push({ resource: name, request });
    return services[name]?.(request) ?? answer;
  };
  const integrations: Integrations = {
    'arn:aws:states:::lambda:invoke': lambdaDriver(units),
    'arn:aws:states:::ecs:runTask.sync': service('ecs', {}),
    'arn:aws:states:::sagemaker:createTrainingJob.sync': service('sagemaker', {
      TrainingJobStatus: 'Completed',
      SecondaryStatus: 'Completed',
    }),
  };
  const retryIntervals = Object.fromEntries(statesOf(definition).map(([name]) => [name, 0]));
  const options = { integrations, signal: new AbortController().signal, retryIntervals };
  const error = await execute(definition, REQUEST, options).then(
    () => null,
    (failure: ExecutionFailed) => failure,
  );
  return { calls, error, of: (resource: string) => calls.filter((call) => call.resource === resource) };
}

/** An error as a unit throws it. */
function fault(name: string): never {
  const error = new Error('told by the test');
  error.name = name;
  throw error;
}

let definition: Definition;
beforeAll(() => {
  definition = loadDefinition();
}, 120_000);

describe('a healthy iteration', () => {
  test('calls the phases in order and ends at the record', async () => {
    const { calls, error } = await run();
    expect(error).toBeNull();
    const order = [...new Set(calls.map(({ resource }) => resource))];
    expect(order).toEqual([
      'plan-iteration',
      'serve-policy',
      'design-environment',
      'validate-environment',
      'admit-environments',
      'ecs',
      'score-rollouts',
      'sagemaker',
      'plan-evaluation',
      'publish-policy',
      'close-iteration',
    ]);
  });

  test('gives each unit exactly what its schema wants', async () => {
    const { of } = await run();
    expect(of('plan-iteration')[0]?.request).toEqual(ids);
    expect(of('serve-policy').map(({ request }) => request)).toEqual([
      { ...ids, policyVersion: 1 },
      { ...ids, policyVersion: 2 },
    ]);
    expect(of('design-environment').map(({ request }) => request)).toEqual([
      { ...ids, index: 0, turn: 0 },
      { ...ids, index: 1, turn: 0 },
    ]);
    expect(of('plan-evaluation')[0]?.request).toEqual({ ...ids, trained: true });
    expect(of('publish-policy')[0]?.request).toEqual({ ...ids, trained: true });
    expect(of('close-iteration')[0]?.request).toEqual({ ...ids, stop: null });
  });

  test('renders the training request with URIs, both channels and the state', async () => {
    const request = (await run()).of('sagemaker')[0]?.request as Record<string, Json>;
    expect(request).toMatchObject({
      TrainingJobName: TRAINING.jobName,
      HyperParameters: TRAINING.hyperParameters,
      OutputDataConfig: { S3OutputPath: 's3://policies/demo/training/', CompressionType: 'NONE' },
      CheckpointConfig: { S3Uri: `s3://policies/${TRAINING.checkpointPrefix}` },
      StoppingCondition: { MaxRuntimeInSeconds: 3600, MaxWaitTimeInSeconds: 7200 },
      EnableManagedSpotTraining: true,
    });
    const channels = request.InputDataConfig as {
      ChannelName: string;
      DataSource: { S3DataSource: { S3Uri: string } };
    }[];
    expect(channels.map((c) => [c.ChannelName, c.DataSource.S3DataSource.S3Uri])).toEqual([
      ['policy', 's3://policies/demo/v0001/model/'],
      ['batch', 's3://episodes/demo/0002/batch/'],
      ['state', 's3://policies/checkpoints/demo/job/final/'],
    ]);
  });

  test('asks for no waiting time without spot and no state channel without state', async () => {
    const training = { ...TRAINING, spot: false, hasState: false };
    const { of } = await run({ 'score-rollouts': () => ({ train: true, training }) });
    const request = of('sagemaker')[0]?.request as Record<string, Json>;
    expect(request.StoppingCondition).toEqual({ MaxRuntimeInSeconds: 3600 });
    expect((request.InputDataConfig as Json[]).length).toBe(2);
  });

  test.each([
    [true, ['policy', 'batch', 'state', 'base']],
    [false, ['policy', 'batch', 'base']],
  ])('gives an adapter its model as a channel; with training state: %s', async (hasState, names) => {
    const training = { ...TRAINING, hasState, hasBase: true, basePrefix: 'demo/v0000/files/' };
    const { of } = await run({ 'score-rollouts': () => ({ train: true, training }) });
    const request = of('sagemaker')[0]?.request as Record<string, Json>;
    const channels = request.InputDataConfig as Record<string, Json>[];
    expect(channels.map(({ ChannelName }) => ChannelName)).toEqual(names);
    expect(channels.at(-1)).toMatchObject({
      DataSource: { S3DataSource: { S3Uri: 's3://policies/demo/v0000/files/' } },
    });
  });

  test('hands a task nothing but its job and on what it runs', async () => {
    const { of } = await run();
    const overrides = of('ecs').map(({ request }) => (request as Record<string, Json>).Overrides);
    const override = (job: string) => ({
      ContainerOverrides: [
        {
          Name: 'rollout',
          Environment: [
            { Name: 'SPADE_JOB', Value: job },
            { Name: 'SPADE_CAPACITY', Value: 'FARGATE_SPOT' },
          ],
        },
      ],
    });
    expect(overrides).toEqual([override('a'), override('b'), override('e')]);
  });
});

describe('choices', () => {
  test('a plan that stops goes straight to the record', async () => {
    const { calls, of } = await run({ 'plan-iteration': () => ({ ...PLAN, stop: 'budget' }) });
    expect(calls.map(({ resource }) => resource)).toEqual(['plan-iteration', 'close-iteration']);
    expect(of('close-iteration')[0]?.request).toEqual({ ...ids, stop: 'budget' });
  });

  test('an open window designs nothing', async () => {
    const { of } = await run({ 'plan-iteration': () => ({ ...PLAN, designs: [] }) });
    expect(of('design-environment')).toEqual([]);
    expect(of('admit-environments').length).toBe(1);
  });

  test('a version that is coming up is asked for again', async () => {
    let asked = 0;
    const { of, error } = await run({ 'serve-policy': () => ({ ready: ++asked > 2, model: 'm' }) });
    expect(error).toBeNull();
    expect(of('serve-policy').length).toBe(4);
  });

  test('a rejected design gets one repair turn', async () => {
    const { of } = await run({
      'validate-environment': ({ index, turn }) => ({
        index,
        turn,
        accepted: false,
        reason: 'x',
        repair: turn === 0 && index === 1,
      }),
    });
    expect(of('design-environment').map(({ request }) => request)).toContainEqual({ ...ids, index: 1, turn: 1 });
    expect(of('validate-environment').length).toBe(3);
  });

  test('nothing to train: no job, no candidate, an untrained publication', async () => {
    const { of } = await run({ 'score-rollouts': () => ({ train: false, training: null }) });
    expect(of('sagemaker')).toEqual([]);
    expect(of('serve-policy').length).toBe(1);
    expect(of('publish-policy')[0]?.request).toEqual({ ...ids, trained: false });
  });
});

describe('faults', () => {
  test.each(['PolicyUnavailable', 'ServiceUnavailable', 'Lambda.TooManyRequestsException'])(
    '%s is retried and passes',
    async (name) => {
      let calls = 0;
      const { error } = await run({ 'plan-iteration': () => (++calls < 3 ? fault(name) : PLAN) });
      expect(error).toBeNull();
      expect(calls).toBe(3);
    },
  );

  test.each([
    'plan-iteration',
    'serve-policy',
    'admit-environments',
    'score-rollouts',
    'plan-evaluation',
    'publish-policy',
    'close-iteration',
  ])('an error of %s is recorded and ends the iteration under its own name', async (unit) => {
    const { of, error } = await run({ [unit]: () => fault('InvalidInput') });
    expect(error).toMatchObject({ error: 'InvalidInput' });
    const cause = JSON.stringify({ errorType: 'InvalidInput', errorMessage: 'told by the test' });
    expect(of('fail-iteration')[0]?.request).toEqual({ ...ids, error: { Error: 'InvalidInput', Cause: cause } });
  });

  test('a retryable error that stays ends the iteration after five calls', async () => {
    const { of, error } = await run({ 'score-rollouts': () => fault('PolicyUnavailable') });
    expect(of('score-rollouts').length).toBe(5);
    expect(error).toMatchObject({ error: 'PolicyUnavailable' });
  });

  test.each(['design-environment', 'validate-environment'])('an error of %s loses the design only', async (unit) => {
    const { of, error } = await run({
      [unit]: (event: Record<string, Json>) => (event.index === 0 ? fault('PolicyMalformed') : healthy[unit]?.(event)),
    });
    expect(error).toBeNull();
    expect(of('admit-environments').length).toBe(1);
  });

  test.each(['AmazonECS.Unknown', 'ECS.ThrottlingException', 'ECS.InvalidParameterException'])(
    'Spot that does not start (%s) is tried three times, then runs on demand',
    async (name) => {
      const spot = (request: Json) => JSON.stringify(request).includes('FARGATE_SPOT');
      const ecs = (request: Json): Json => {
        if (spot(request) && JSON.stringify(request).includes('"a"')) throw new IntegrationError(name, 'no capacity');
        return {};
      };
      const { of, error } = await run({}, { ecs });
      expect(error).toBeNull();
      const forA = of('ecs').filter(({ request }) => JSON.stringify(request).includes('"a"'));
      expect(forA.map(({ request }) => spot(request))).toEqual([true, true, true, false]);
    },
  );

  test('a shard that is lost everywhere does not end the iteration', async () => {
    const ecs = (): Json => {
      throw new IntegrationError('States.TaskFailed', '{}');
    };
    const { of, error } = await run({}, { ecs });
    expect(error).toBeNull();
    expect(of('ecs').length).toBe(3 * 4);
    expect(of('score-rollouts').length).toBe(1);
  });

  test('a training job that fails ends the iteration with its reason', async () => {
    const sagemaker = (): Json => {
      throw new IntegrationError('States.TaskFailed', '{"FailureReason":"AlgorithmError"}');
    };
    const { of, error } = await run({}, { sagemaker });
    expect(error).toMatchObject({ error: 'States.TaskFailed', message: '{"FailureReason":"AlgorithmError"}' });
    expect(of('sagemaker').length).toBe(1);
    expect(of('publish-policy')).toEqual([]);
  });

  test.each(['SageMaker.ThrottlingException', 'SageMaker.ResourceLimitExceededException'])(
    '%s is retried',
    async (name) => {
      let calls = 0;
      const sagemaker = (): Json => {
        if (++calls < 3) throw new IntegrationError(name, 'later');
        return { TrainingJobStatus: 'Completed', SecondaryStatus: 'Completed' };
      };
      expect((await run({}, { sagemaker })).error).toBeNull();
      expect(calls).toBe(3);
    },
  );

  test('a job stopped by its waiting time is a failed training, not a success', async () => {
    const sagemaker = (): Json => ({ TrainingJobStatus: 'Stopped', SecondaryStatus: 'MaxWaitTimeExceeded' });
    const { error, of } = await run({}, { sagemaker });
    expect(error).toMatchObject({ error: 'TrainingFailed' });
    expect(error?.message).toContain('Stopped (MaxWaitTimeExceeded)');
    expect(of('publish-policy')).toEqual([]);
  });

  test('a failure that cannot even be recorded still ends under its own name', async () => {
    const { error } = await run({
      'plan-iteration': () => fault('NotFound'),
      'fail-iteration': () => fault('ServiceUnavailable'),
    });
    expect(error).toMatchObject({ error: 'NotFound' });
  });

  test('more than 256 KiB between states is refused as AWS refuses it', async () => {
    const designs = Array.from({ length: 40_000 }, (_, index) => ({ index }));
    const { error } = await run({ 'plan-iteration': () => ({ ...PLAN, designs }) });
    expect(error).toMatchObject({ error: 'States.DataLimitExceeded' });
  });
});
