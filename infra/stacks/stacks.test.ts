import { Match, type Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { RENDERED_NAMES, renderIteration } from '../rendered.ts';
import { allowed, statementsOf, templates, testStacks } from '../testing/index.ts';
import { UNIT_NAMES } from '../units.ts';
import type { SpadeStacks } from './index.ts';

let made: Record<keyof SpadeStacks, Template>;
beforeAll(() => {
  made = templates(testStacks());
}, 600_000);

const everyResource = (type: string) =>
  Object.values(made).flatMap((template) => Object.values(template.findResources(type)));

describe('what a deployment costs while idle', () => {
  test('nothing that bills by the hour is created but the interface endpoints', () => {
    for (const type of [
      'AWS::EC2::NatGateway',
      'AWS::EC2::Instance',
      'AWS::SageMaker::Endpoint',
      'AWS::ECS::Service',
    ]) {
      expect(everyResource(type)).toEqual([]);
    }
    const kinds = everyResource('AWS::EC2::VPCEndpoint').map(({ Properties }) => Properties.VpcEndpointType);
    expect(kinds.sort()).toEqual(['Gateway', 'Gateway', 'Interface', 'Interface', 'Interface', 'Interface']);
  });

  test('the interface endpoints can be switched off', () => {
    const { network } = templates(testStacks({ network: { interfaceEndpoints: 'off' } }));
    network.resourcePropertiesCountIs('AWS::EC2::VPCEndpoint', { VpcEndpointType: 'Interface' }, 0);
  }, 120_000);
});

describe('data', () => {
  test('buckets are encrypted, private, TLS only and outlive the stack', () => {
    made.data.allResources('AWS::S3::Bucket', {
      DeletionPolicy: 'Retain',
      Properties: Match.objectLike({
        BucketEncryption: Match.anyValue(),
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
      }),
    });
    made.data.allResourcesProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ]),
      },
    });
  });

  test('what records name by key is versioned; episodes are not', () => {
    made.data.resourcePropertiesCountIs('AWS::S3::Bucket', { VersioningConfiguration: { Status: 'Enabled' } }, 3);
  });

  test('the table can be restored, is protected and stays', () => {
    made.data.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: Match.objectLike({
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
        BillingMode: 'PAY_PER_REQUEST',
      }),
    });
  });
});

describe('units', () => {
  test('each unit is a function on Node 24 and arm64, traced, with a log that ends', () => {
    const functions = everyResource('AWS::Lambda::Function').filter(
      ({ Properties }) => Properties.Runtime === 'nodejs24.x',
    );
    const units = functions.filter(({ Properties }) => Properties.TracingConfig);
    expect(units.length).toBe(UNIT_NAMES.length);
    for (const { Properties } of units) {
      expect(Properties.Architectures).toEqual(['arm64']);
      expect(Properties.LoggingConfig.LogGroup).toBeDefined();
    }
    for (const { Properties } of everyResource('AWS::Logs::LogGroup')) expect(Properties.RetentionInDays).toBe(30);
  });

  test('requests come first in, first out, with a dead-letter queue, and fail one by one', () => {
    made.selfPlay.allResourcesProperties('AWS::SQS::Queue', { FifoQueue: true });
    made.selfPlay.resourcePropertiesCountIs('AWS::SQS::Queue', { RedrivePolicy: Match.anyValue() }, 1);
    made.selfPlay.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  test('a completed iteration with a next one goes to the queue', () => {
    made.selfPlay.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['spade'],
        'detail-type': ['IterationCompleted'],
        detail: { next: { experiment: [{ exists: true }] } },
      },
    });
  });
});

describe('model-written code', () => {
  test('its function may write its log and nothing else, and is denied what attaching it to the network needs', () => {
    const statements = statementsOf(made.selfPlay, 'GeneratedCodeRole');
    expect(allowed(statements).every((action) => action.startsWith('logs:') || action.startsWith('ec2:'))).toBe(true);
    const denied = statements.filter(({ Effect }) => Effect === 'Deny');
    expect(denied).toMatchObject([
      {
        Action: '*',
        Resource: '*',
        Condition: { ArnEquals: { 'lambda:SourceFunctionArn': Match.anyValue() && expect.anything() } },
      },
    ]);
  });

  test('its function is in isolated subnets behind a group without rules', () => {
    made.selfPlay.hasResourceProperties('AWS::Lambda::Function', { PackageType: 'Image', VpcConfig: Match.anyValue() });
    made.network.hasResourceProperties('AWS::EC2::SecurityGroup', {
      GroupDescription: Match.stringLikeRegexp('no traffic'),
      SecurityGroupEgress: [Match.objectLike({ CidrIp: '255.255.255.255/32' })],
    });
    expect(made.network.findResources('AWS::EC2::InternetGateway')).toEqual({});
  });

  test('worker and sandbox run as strangers, without capabilities, on read-only roots', () => {
    const locked = {
      ReadonlyRootFilesystem: true,
      Essential: true,
      LinuxParameters: { Capabilities: { Drop: ['ALL'] } },
      MountPoints: [{ ContainerPath: '/run/spade', ReadOnly: false, SourceVolume: 'meeting' }],
    };
    made.selfPlay.hasResourceProperties('AWS::ECS::TaskDefinition', {
      ContainerDefinitions: [
        Match.objectLike({ ...locked, Name: 'rollout', User: '10001:10001' }),
        Match.objectLike({ ...locked, Name: 'sandbox', User: '10002:10002' }),
      ],
      PidMode: Match.absent(),
      Volumes: [{ Name: 'meeting' }],
    });
  });

  test('the sandbox has no variables and no init process that could keep them; it is up before the worker', () => {
    const definitions = Object.values(made.selfPlay.findResources('AWS::ECS::TaskDefinition'));
    const [worker, sandbox] = definitions.flatMap(({ Properties }) => Properties.ContainerDefinitions);
    expect(sandbox.Environment).toBeUndefined();
    expect(sandbox.EntryPoint.slice(0, 3)).toEqual(['/usr/bin/env', '-i', '/usr/bin/python3']);
    expect(sandbox.EntryPoint.at(-1)).toBe('/run/spade/door');
    expect(worker.Environment).toContainEqual({ Name: 'SPADE_SANDBOX_DOOR', Value: '/run/spade/door' });
    expect(worker.DependsOn).toEqual([{ Condition: 'START', ContainerName: 'sandbox' }]);
  });
});

describe('rights', () => {
  const writesTo = (role: string, bucket: string) =>
    statementsOf(made.selfPlay, role).filter(
      ({ Action, Resource }) => [Action].flat().includes('s3:PutObject') && JSON.stringify(Resource).includes(bucket),
    );

  test('the worker writes episodes and no environment, policy or corpus', () => {
    expect(writesTo('RolloutTask', 'Episodes').length).toBe(1);
    for (const bucket of ['Environments', 'Policies', 'Corpora']) expect(writesTo('RolloutTask', bucket)).toEqual([]);
  });

  test('only admission writes environments, only publication writes manifests', () => {
    expect(writesTo('admitenvironments', 'Environments').length).toBe(1);
    expect(writesTo('designenvironment', 'Environments')).toEqual([]);
    expect(writesTo('publishpolicy', 'Policies').length).toBe(1);
    expect(writesTo('scorerollouts', 'Policies')).toEqual([]);
  });

  test('no role may do everything in a service', () => {
    for (const template of Object.values(made)) {
      for (const policy of Object.values(template.findResources('AWS::IAM::Policy'))) {
        const actions = allowed(policy.Properties.PolicyDocument.Statement);
        expect(actions.filter((action) => /^\*$|:\*$/.test(action))).toEqual([]);
      }
    }
  });

  test('roles are handed over to their own service only', () => {
    const passes = Object.values(made.selfPlay.findResources('AWS::IAM::Policy'))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => [Action].flat().includes('iam:PassRole'));
    expect(passes.length).toBeGreaterThanOrEqual(3);
    for (const { Condition } of passes)
      expect(Condition.StringEquals['iam:PassedToService']).toMatch(/^(ecs-tasks|sagemaker)\.amazonaws\.com$/);
  });

  test('a deployment for some experiments reaches no other prefix', () => {
    const { selfPlay } = templates(testStacks({ experiments: ['demo-*'] }));
    const objects = statementsOf(selfPlay, 'RolloutTask').filter(({ Action }) =>
      /s3:(Get|Put)Object/.test(String(Action)),
    );
    const text = JSON.stringify(objects.filter(({ Resource }) => !JSON.stringify(Resource).includes('Corpora')));
    expect(text).toContain('/demo-*/');
    expect(text).not.toContain('/*/*');
  }, 120_000);
});

test('the state machine that is deployed is the one that a laptop runs', () => {
  const [machine] = Object.values(made.selfPlay.findResources('AWS::StepFunctions::StateMachine'));
  const [separator, parts] = (machine as { Properties: { DefinitionString: Record<string, unknown> } }).Properties
    .DefinitionString['Fn::Join'] as [string, unknown[]];
  const deployed = parts.map((part) => (typeof part === 'string' ? part : 'NAME')).join(separator);
  expect(shape(JSON.parse(deployed))).toEqual(shape(JSON.parse(renderIteration())));
});

/** A definition without the names of resources, and without the timeout that only a deployment has. */
function shape(definition: Record<string, unknown>): unknown {
  const { TimeoutSeconds, ...rest } = definition;
  const names = new Set([
    'FunctionName',
    'Cluster',
    'TaskDefinition',
    'Subnets',
    'SecurityGroups',
    'RoleArn',
    'TrainingImage',
  ]);
  const text = JSON.stringify(rest, (key, value) => {
    if (names.has(key)) return 'NAME';
    if (key === 'Value' && (value === RENDERED_NAMES.stage || value === 'test')) return 'STAGE';
    if (typeof value !== 'string') return value;
    return value.replace(/^arn:(aws|NAME):/, 'arn:aws:').replace(/s3:\/\/(NAME|episodes|policies)\//, 's3://NAME/');
  });
  return JSON.parse(text);
}
