import { SageMakerClient } from '@aws-sdk/client-sagemaker';
import { describe, expect, it } from 'vitest';
import { InvalidInput, PolicyUnavailable, ServiceUnavailable } from '../../contracts/index.ts';
import type { Store } from '../../ports/index.ts';
import { fakeWire, jsonAnswer, jsonError, type WireAnswer } from '../fake-aws.ts';
import { createSageMakerPolicyHost } from './host-sagemaker.ts';
import { SERVING_VARIABLE, servingSettings } from './serving-settings.ts';

const settings = {
  roleArn: 'arn:aws:iam::1:role/endpoint',
  image: '1.dkr.ecr.eu-central-1.amazonaws.com/vllm:tag',
  amiVersion: 'al2023-ami-sagemaker-inference-gpu-4-1',
  environment: { SM_VLLM_MAX_MODEL_LEN: '32768' },
  vpc: null,
  leaseHours: 6,
  base: { accelerators: 1, memoryMb: 16_384 },
};
const missing = jsonError('ValidationException', 'Could not find endpoint "arn:…".');
type Answers = Readonly<Record<string, WireAnswer | ((body: Record<string, unknown>) => WireAnswer)>>;

/** The policies store: a training job left an adapter; what is written is remembered. */
function policiesStore() {
  const written: string[] = [];
  const refuse = () => Promise.reject(new Error('not used'));
  const store: Store = {
    uri: (key) => `s3://policies/${key}`,
    exists: async (key) => written.includes(key),
    list: async (prefix) => [`${prefix}adapter_config.json`],
    get: async () => new Uint8Array([1]),
    putIfAbsent: async (key) => written.push(key) > 0,
    find: refuse,
    chunks: () => {
      throw new Error('not used');
    },
    put: refuse,
    putFile: refuse,
  };
  return { store, written };
}

function hostOn(answers: Answers, component: string | null = null) {
  const wire = fakeWire(({ operation, body }) => {
    const answer = answers[operation] ?? jsonAnswer({});
    return typeof answer === 'function' ? answer(JSON.parse(body)) : answer;
  });
  const { store: policies, written } = policiesStore();
  const host = createSageMakerPolicyHost(
    { name: 'spade', component },
    {
      client: new SageMakerClient(wire.config),
      policies,
      settings,
      instanceType: async () => 'ml.g5.xlarge',
      now: () => new Date('2026-11-29T12:00:00Z'),
    },
  );
  const sent = (operation: string) =>
    wire.requests.filter((r) => r.operation === operation).map((r) => JSON.parse(r.body));
  return { host, sent, written, operations: () => wire.requests.map((r) => r.operation) };
}
const endpoint = (status: string, model: string, rest = {}) =>
  jsonAnswer({
    EndpointName: 'spade',
    EndpointArn: 'arn:e',
    EndpointStatus: status,
    EndpointConfigName: model,
    ...rest,
  });

describe('full versions on an endpoint', () => {
  it('are made from nothing: model, configuration, endpoint, all tagged', async () => {
    const { host, sent, operations } = hostOn({ DescribeEndpoint: missing });
    expect(await host.ensureServed('exp-v0001', 'exp/training/j/output/model/')).toBe(false);
    expect(operations()).toEqual(['DescribeEndpoint', 'CreateModel', 'CreateEndpointConfig', 'CreateEndpoint']);
    const tags = [
      { Key: 'spade:experiment', Value: 'exp' },
      { Key: 'spade:expires', Value: '2026-11-29T18:00:00.000Z' },
    ];
    expect(sent('CreateModel')[0]).toMatchObject({
      ModelName: 'exp-v0001',
      PrimaryContainer: {
        ModelDataSource: {
          S3DataSource: { S3Uri: 's3://policies/exp/training/j/output/model/', CompressionType: 'None' },
        },
        Environment: { SM_VLLM_SERVED_MODEL_NAME: 'exp-v0001', SM_VLLM_MAX_MODEL_LEN: '32768' },
      },
      Tags: tags,
    });
    const [variant] = sent('CreateEndpointConfig')[0].ProductionVariants;
    expect(variant).toMatchObject({
      ModelName: 'exp-v0001',
      InstanceType: 'ml.g5.xlarge',
      InferenceAmiVersion: settings.amiVersion,
    });
    expect(sent('CreateEndpoint')[0]).toMatchObject({
      EndpointName: 'spade',
      EndpointConfigName: 'exp-v0001',
      Tags: tags,
    });
  });

  it('are waited for, and answer when the endpoint runs their configuration', async () => {
    const creating = hostOn({ DescribeEndpoint: endpoint('Creating', 'exp-v0001') });
    expect(await creating.host.ensureServed('exp-v0001', 'p/')).toBe(false);
    expect(creating.operations()).toEqual(['DescribeEndpoint']);
    const ready = hostOn({ DescribeEndpoint: endpoint('InService', 'exp-v0001') });
    expect(await ready.host.ensureServed('exp-v0001', 'p/')).toBe(true);
    expect(ready.sent('AddTags')[0].Tags[1].Value).toBe('2026-11-29T18:00:00.000Z');
  });

  it('replace one another by a new configuration', async () => {
    const { host, sent } = hostOn({ DescribeEndpoint: endpoint('InService', 'exp-v0001') });
    expect(await host.ensureServed('exp-v0002', 'p/')).toBe(false);
    expect(sent('UpdateEndpoint')[0]).toMatchObject({ EndpointName: 'spade', EndpointConfigName: 'exp-v0002' });
  });

  it('may be asked for again after any interruption', async () => {
    const taken = jsonError('ValidationException', 'Cannot create already existing model "arn:…".');
    const answers = {
      DescribeEndpoint: missing,
      CreateModel: taken,
      CreateEndpointConfig: taken,
      CreateEndpoint: taken,
    };
    expect(await hostOn(answers).host.ensureServed('exp-v0001', 'p/')).toBe(false);
  });

  it('do not push another experiment off the endpoint, and report a failure with its reason', async () => {
    const other = hostOn({ DescribeEndpoint: endpoint('InService', 'other-v0004') });
    await expect(other.host.ensureServed('exp-v0001', 'p/')).rejects.toThrow(/serves experiment other/);
    const failed = hostOn({ DescribeEndpoint: endpoint('Failed', 'exp-v0001', { FailureReason: 'no capacity' }) });
    await expect(failed.host.ensureServed('exp-v0001', 'p/')).rejects.toThrow(/no capacity/);
  });

  it('tell throttling, however it is dressed, from a wrong request', async () => {
    const throttled = hostOn({ DescribeEndpoint: jsonError('ValidationException', 'Rate exceeded') });
    await expect(throttled.host.ensureServed('exp-v0001', 'p/')).rejects.toBeInstanceOf(ServiceUnavailable);
    const wrong = hostOn({ DescribeEndpoint: missing, CreateModel: jsonError('ValidationException', 'bad role') });
    await expect(wrong.host.ensureServed('exp-v0001', 'p/')).rejects.toBeInstanceOf(InvalidInput);
  });
});

describe('versions as adapters', () => {
  const running = { DescribeEndpoint: endpoint('InService', 'exp-v0000') };
  const component = (status: Readonly<Record<string, string>>) => (body: Record<string, unknown>) => {
    const name = String(body.InferenceComponentName);
    const InferenceComponentStatus = status[name];
    return InferenceComponentStatus ? jsonAnswer({ InferenceComponentStatus, FailureReason: 'r' }) : missing;
  };

  it('begin with the base, on a variant that names no model', async () => {
    const { host, sent } = hostOn({ DescribeEndpoint: missing }, 'base');
    expect(await host.ensureServed('exp-v0000', 'exp/v0000/files/')).toBe(false);
    expect(sent('CreateEndpointConfig')[0].ProductionVariants[0].ModelName).toBeUndefined();
    expect(sent('CreateModel')[0].PrimaryContainer.Environment).toMatchObject({ SM_VLLM_ENABLE_LORA: 'true' });
    const second = hostOn({ ...running, DescribeInferenceComponent: missing }, 'base');
    expect(await second.host.ensureServed('exp-v0000', 'exp/v0000/files/')).toBe(false);
    expect(second.sent('CreateInferenceComponent')[0]).toMatchObject({
      InferenceComponentName: 'base',
      Specification: { ModelName: 'exp-v0000', ComputeResourceRequirements: { NumberOfAcceleratorDevicesRequired: 1 } },
    });
  });

  it('are added on the base by the archive of their training job', async () => {
    const base = { ...running, DescribeInferenceComponent: component({ base: 'InService' }) };
    const { host, sent, written } = hostOn(base, 'base');
    expect(await host.ensureServed('exp-v0002', 'exp/training/j/output/model/')).toBe(false);
    expect(sent('CreateInferenceComponent')[0]).toMatchObject({
      InferenceComponentName: 'exp-v0002',
      Specification: {
        BaseInferenceComponentName: 'base',
        Container: { ArtifactUrl: 's3://policies/exp/training/j/output/model.tar.gz' },
      },
    });
    expect(written).toEqual(['exp/training/j/output/model.tar.gz']);
  });

  it.each([
    [{ base: 'InService', 'exp-v0002': 'InService' }, true],
    [{ base: 'InService', 'exp-v0002': 'Creating' }, false],
    [{ base: 'Creating' }, false],
  ])('are ready when both are: %j', async (status, ready) => {
    const { host } = hostOn({ ...running, DescribeInferenceComponent: component(status) }, 'base');
    expect(await host.ensureServed('exp-v0002', 'p/')).toBe(ready);
  });

  it('that fail say why', async () => {
    const failed = component({ base: 'InService', 'exp-v0002': 'Failed' });
    const { host } = hostOn({ ...running, DescribeInferenceComponent: failed }, 'base');
    await expect(host.ensureServed('exp-v0002', 'p/')).rejects.toBeInstanceOf(PolicyUnavailable);
  });
});

describe('release', () => {
  const lists = {
    ListEndpointConfigs: jsonAnswer({
      EndpointConfigs: [{ EndpointConfigName: 'exp-v0001' }, { EndpointConfigName: 'my-exp-v0001' }],
    }),
    ListModels: jsonAnswer({ Models: [{ ModelName: 'exp-v0001' }, { ModelName: 'exp-v0002' }] }),
  };

  it('removes the endpoint first, then the descriptions of this experiment alone', async () => {
    const { host, sent, operations } = hostOn({ ...lists, DescribeEndpoint: endpoint('InService', 'exp-v0001') });
    await host.release('exp');
    expect(operations().indexOf('DeleteEndpoint')).toBe(1);
    expect(sent('DeleteEndpointConfig').map((r) => r.EndpointConfigName)).toEqual(['exp-v0001']);
    expect(sent('DeleteModel').map((r) => r.ModelName)).toEqual(['exp-v0001', 'exp-v0002']);
  });

  it('leaves another experiment’s endpoint alone, and is content when nothing is there', async () => {
    const other = hostOn({ ...lists, DescribeEndpoint: endpoint('InService', 'exp-v1-v0001') });
    await other.host.release('exp-v1x');
    expect(other.operations()).not.toContain('DeleteEndpoint');
    const nothing = hostOn({ DescribeEndpoint: missing });
    await nothing.host.release('exp');
    expect(nothing.operations()).not.toContain('DeleteEndpoint');
  });

  it('takes adapters off before their base, and asks to be called again', async () => {
    const components = [{ InferenceComponentName: 'base' }, { InferenceComponentName: 'exp-v0001' }];
    const { host, sent, operations } = hostOn(
      {
        DescribeEndpoint: endpoint('InService', 'exp-v0000'),
        ListInferenceComponents: jsonAnswer({ InferenceComponents: components }),
      },
      'base',
    );
    await expect(host.release('exp')).rejects.toBeInstanceOf(ServiceUnavailable);
    expect(sent('DeleteInferenceComponent').map((r) => r.InferenceComponentName)).toEqual(['exp-v0001', 'base']);
    expect(operations()).not.toContain('DeleteEndpoint');
  });
});

describe('serving settings', () => {
  it('are read from one variable, and name the field that is wrong', () => {
    expect(servingSettings({ [SERVING_VARIABLE]: JSON.stringify(settings) })).toEqual(settings);
    expect(() => servingSettings({})).toThrow(/SPADE_SERVING.*not set/);
    expect(() => servingSettings({ [SERVING_VARIABLE]: '{' })).toThrow(InvalidInput);
    expect(() => servingSettings({ [SERVING_VARIABLE]: JSON.stringify({ ...settings, leaseHours: 0 }) })).toThrow(
      /leaseHours/,
    );
  });
});
