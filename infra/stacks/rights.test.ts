import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { statementsOf, templates, testStacks } from '../testing/index.ts';
import { type Call, isAllowed } from '../testing/simulate.ts';
import { UNIT_NAMES } from '../units.ts';
import type { SpadeStacks } from './index.ts';

/** A deployment whose roles serve experiments named `demo…`. */
let made: Record<keyof SpadeStacks, Template>;
beforeAll(() => {
  made = templates(testStacks({ experiments: ['demo*'] }));
}, 600_000);

const HASH = 'a'.repeat(64);
const s3 = (action: string, bucket: string, key: string): Call => ({
  action: `s3:${action}`,
  resource: `<${bucket}>/${key}`,
});
const item = (action: string, key: string): Call => ({
  action: `dynamodb:${action}`,
  resource: '<Table>',
  context: { 'dynamodb:LeadingKeys': [key] },
});
const endpoint = 'arn:aws:sagemaker:eu-west-1:123456789012:endpoint/spade-test';
const invoke: Call = { action: 'sagemaker:InvokeEndpoint', resource: endpoint };

/** Role (part of its logical id), what it needs, what it must not be able to do. */
const TABLE: readonly [stack: keyof SpadeStacks, role: string, may: readonly Call[], mayNot: readonly Call[]][] = [
  [
    'selfPlay',
    'RolloutTask',
    [
      s3('GetObject', 'Environments', `demo/${HASH}/source.py`),
      s3('GetObject', 'Environments', `demo/${HASH}/hint.txt`),
      s3('GetObject', 'Episodes', 'demo/0001/rollouts/0000.json'),
      s3('PutObject', 'Episodes', `demo/0001/episodes/${HASH}.jsonl.gz`),
      s3('PutObject', 'Episodes', 'demo/0001/evaluations/v0001/episodes/0000.jsonl.gz'),
      s3('PutObject', 'Episodes', 'demo/0001/timings/tasks/rollout-v0-0-1.json'),
      invoke,
    ],
    [
      s3('PutObject', 'Environments', `demo/${HASH}/source.py`),
      s3('PutObject', 'Episodes', 'demo/0001/scores.json'),
      s3('PutObject', 'Episodes', 'demo/0001/batch/samples.jsonl.gz'),
      s3('PutObject', 'Episodes', `other/0001/episodes/${HASH}.jsonl.gz`),
      s3('GetObject', 'Environments', `other/${HASH}/source.py`),
      s3('PutObject', 'Policies', 'demo/v0001/manifest.json'),
      s3('DeleteObject', 'Episodes', `demo/0001/episodes/${HASH}.jsonl.gz`),
      item('PutItem', 'EXP#demo'),
      { action: 'sagemaker:DeleteEndpoint', resource: endpoint },
      { action: 'ecs:RunTask', resource: '*' },
    ],
  ],
  [
    'selfPlay',
    'startiteration',
    [
      { action: 'states:StartExecution', resource: '<SelfPlayIteration>' },
      { action: 'sqs:ReceiveMessage', resource: '<Requests>' },
    ],
    [
      { action: 'states:StopExecution', resource: '*' },
      s3('GetObject', 'Episodes', 'demo/experiment.json'),
      item('GetItem', 'EXP#demo'),
    ],
  ],
  [
    'selfPlay',
    'planiteration',
    [
      s3('PutObject', 'Episodes', 'demo/0001/plan.json'),
      s3('GetObject', 'Corpora', 'python-docs.jsonl'),
      item('UpdateItem', 'EXP#demo'),
    ],
    [
      s3('PutObject', 'Episodes', 'demo/0001/scores.json'),
      s3('PutObject', 'Environments', `demo/${HASH}/source.py`),
      s3('PutObject', 'Corpora', 'python-docs.jsonl'),
      invoke,
    ],
  ],
  [
    'selfPlay',
    'designenvironment',
    [s3('PutObject', 'Episodes', 'demo/0001/designs/0000/design-0.json'), invoke],
    [
      s3('GetObject', 'Environments', `demo/${HASH}/source.py`),
      s3('PutObject', 'Episodes', 'demo/0001/admission.json'),
      item('GetItem', 'EXP#demo'),
    ],
  ],
  [
    'selfPlay',
    'admitenvironments',
    [
      s3('PutObject', 'Environments', `demo/${HASH}/card.json`),
      s3('PutObject', 'Episodes', 'demo/0001/admission.json'),
      item('PutItem', `ENV#${HASH}`),
    ],
    [
      s3('PutObject', 'Policies', 'demo/v0001/manifest.json'),
      s3('PutObject', 'Episodes', 'demo/0001/scores.json'),
      invoke,
    ],
  ],
  [
    'selfPlay',
    'planevaluation',
    [s3('PutObject', 'Episodes', 'demo/0001/evaluations/v0001/0000.json')],
    [s3('PutObject', 'Episodes', 'demo/0001/scores.json'), item('GetItem', 'EXP#demo'), invoke],
  ],
  [
    'selfPlay',
    'closeiteration',
    [
      s3('PutObject', 'Episodes', 'demo/0001/record.json'),
      s3('GetObject', 'Policies', 'checkpoints/demo/job/timings.json'),
      { action: 'sagemaker:DeleteEndpoint', resource: endpoint },
    ],
    [
      s3('PutObject', 'Episodes', 'demo/0001/publication.json'),
      s3('PutObject', 'Policies', 'demo/v0001/manifest.json'),
      { action: 'sagemaker:CreateEndpoint', resource: endpoint },
      { action: 'sagemaker:DeleteEndpoint', resource: endpoint.replace('test', 'other') },
    ],
  ],
  [
    'selfPlay',
    'failiteration',
    [
      s3('PutObject', 'Episodes', 'demo/0001/failure-1.json'),
      item('UpdateItem', 'EXP#demo'),
      { action: 'sagemaker:DeleteEndpoint', resource: endpoint },
    ],
    [
      s3('PutObject', 'Episodes', 'demo/0001/record.json'),
      item('GetItem', 'EXP#demo'),
      { action: 'sagemaker:CreateEndpoint', resource: endpoint },
    ],
  ],
  [
    'guard',
    'reapendpoints',
    [
      { action: 'sagemaker:DeleteEndpoint', resource: endpoint },
      { action: 'sagemaker:ListTags', resource: endpoint },
    ],
    [
      s3('GetObject', 'Episodes', 'demo/experiment.json'),
      item('GetItem', 'EXP#demo'),
      { action: 'sagemaker:CreateEndpoint', resource: endpoint },
      invoke,
    ],
  ],
  [
    'policy',
    'ServingRole',
    [s3('GetObject', 'Policies', 'demo/v0000/files/config.json')],
    [
      s3('PutObject', 'Policies', 'demo/v0000/files/config.json'),
      s3('GetObject', 'Episodes', 'demo/experiment.json'),
      s3('GetObject', 'Policies', 'other/v0000/files/config.json'),
    ],
  ],
  [
    'selfPlay',
    'validateenvironment',
    [
      s3('GetObject', 'Episodes', 'demo/0001/designs/0000/design-0.json'),
      s3('PutObject', 'Episodes', 'demo/0001/designs/0000/verdict-0.json'),
      invoke,
    ],
    [
      s3('GetObject', 'Environments', `demo/${HASH}/hint.txt`),
      item('PutItem', 'EXP#demo'),
      { action: 'sagemaker:CreateEndpoint', resource: endpoint },
    ],
  ],
  [
    'selfPlay',
    'scorerollouts',
    [
      s3('PutObject', 'Episodes', 'demo/0001/batch/samples.jsonl.gz'),
      item('PutItem', 'EXP#demo'),
      item('Query', 'EXP#demo#SKILL#Optimization#frontier'),
    ],
    [
      s3('PutObject', 'Policies', 'demo/v0001/manifest.json'),
      item('PutItem', 'EXP#other'),
      item('DeleteItem', 'EXP#demo'),
      { action: 'dynamodb:Scan', resource: '<Table>' },
    ],
  ],
  [
    'selfPlay',
    'publishpolicy',
    [s3('PutObject', 'Policies', 'demo/v0001/manifest.json'), invoke],
    [
      s3('PutObject', 'Policies', 'demo/training/job/output/model/model.safetensors'),
      s3('PutObject', 'Policies', 'other/v0001/manifest.json'),
    ],
  ],
  [
    'selfPlay',
    'servepolicy',
    [
      { action: 'sagemaker:CreateEndpoint', resource: endpoint },
      {
        action: 'iam:PassRole',
        resource: '<ServingRole>',
        context: { 'iam:PassedToService': 'sagemaker.amazonaws.com' },
      },
    ],
    [
      { action: 'iam:PassRole', resource: '<ServingRole>', context: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
      {
        action: 'iam:PassRole',
        resource: '<TrainingRole>',
        context: { 'iam:PassedToService': 'sagemaker.amazonaws.com' },
      },
      { action: 'sagemaker:CreateEndpoint', resource: endpoint.replace('test', 'other') },
      s3('GetObject', 'Policies', 'other/v0000/manifest.json'),
    ],
  ],
  [
    'selfPlay',
    'SelfPlayIterationRole',
    [
      { action: 'ecs:RunTask', resource: '<RolloutTask>', context: { 'ecs:cluster': '<RolloutCluster>' } },
      {
        action: 'sagemaker:CreateTrainingJob',
        resource: 'arn:aws:sagemaker:eu-west-1:123456789012:training-job/spade-demo-i0001-a1',
      },
      {
        action: 'iam:PassRole',
        resource: '<TrainingRole>',
        context: { 'iam:PassedToService': 'sagemaker.amazonaws.com' },
      },
      {
        action: 'iam:PassRole',
        resource: '<RolloutTaskTaskRole>',
        context: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' },
      },
    ],
    [
      { action: 'ecs:RunTask', resource: 'arn:aws:ecs:eu-west-1:123456789012:task-definition/other:1' },
      {
        action: 'sagemaker:CreateTrainingJob',
        resource: 'arn:aws:sagemaker:eu-west-1:123456789012:training-job/foreign',
      },
      { action: 'iam:PassRole', resource: '<TrainingRole>', context: { 'iam:PassedToService': 'ec2.amazonaws.com' } },
      {
        action: 'iam:PassRole',
        resource: '<ServingRole>',
        context: { 'iam:PassedToService': 'sagemaker.amazonaws.com' },
      },
      s3('GetObject', 'Episodes', 'demo/experiment.json'),
    ],
  ],
  [
    'policy',
    'TrainingRole',
    [
      s3('GetObject', 'Episodes', 'demo/0001/batch/samples.jsonl.gz'),
      s3('PutObject', 'Policies', 'checkpoints/demo/job/summary.json'),
    ],
    [
      s3('PutObject', 'Policies', 'demo/v0001/manifest.json'),
      s3('PutObject', 'Episodes', 'demo/0001/scores.json'),
      s3('GetObject', 'Episodes', 'demo/0001/scores.json'),
      s3('GetObject', 'Policies', 'other/v0000/files/config.json'),
    ],
  ],
  [
    'selfPlay',
    'GeneratedCodeRole',
    [],
    [
      s3('GetObject', 'Environments', `demo/${HASH}/hint.txt`),
      s3('PutObject', 'Environments', `demo/${HASH}/hint.txt`),
      invoke,
      item('GetItem', 'EXP#demo'),
      {
        action: 'ec2:DescribeSubnets',
        resource: '*',
        context: {
          'lambda:SourceFunctionArn': 'arn:aws:lambda:eu-west-1:123456789012:function:spade-test-generated-code',
        },
      },
    ],
  ],
];

/** What no role of a deployment may do, whatever it is for. */
const NOBODY_MAY: readonly Call[] = [
  ...['Environments', 'Episodes', 'Policies'].flatMap((bucket) => [
    s3('GetObject', bucket, 'other/x'),
    s3('PutObject', bucket, 'other/x'),
    s3('DeleteObject', bucket, 'demo/x'),
    { action: 's3:PutBucketPolicy', resource: `<${bucket}>` },
    { action: 's3:DeleteBucket', resource: `<${bucket}>` },
  ]),
  s3('PutObject', 'Corpora', 'x'),
  s3('GetObject', 'Policies', 'checkpoints/other/job/final/x'),
  item('DeleteItem', 'EXP#demo'),
  item('PutItem', 'EXP#other'),
  // Without a key, as a scan or a statement of PartiQL comes.
  { action: 'dynamodb:PutItem', resource: '<Table>' },
  ...['dynamodb:Scan', 'dynamodb:DeleteTable'].map((action) => ({ action, resource: '<Table>' })),
  ...['iam:CreateRole', 'iam:PutRolePolicy', 'sts:AssumeRole', 'lambda:UpdateFunctionCode', 'ec2:RunInstances'].map(
    (action) => ({ action, resource: '*' }),
  ),
  ...['sqs:PurgeQueue', 'states:DeleteStateMachine', 'secretsmanager:GetSecretValue', 'logs:DeleteLogGroup'].map(
    (action) => ({ action, resource: '*' }),
  ),
];

test('every function of a unit has its row', () => {
  const rows = TABLE.map(([, role]) => role);
  expect(UNIT_NAMES.map((unit) => unit.replaceAll('-', '')).filter((unit) => !rows.includes(unit))).toEqual([]);
});

describe.each(TABLE)('%s %s', (stack, role, may, mayNot) => {
  const label = (call: Call) => `${call.action} ${call.resource} ${JSON.stringify(call.context ?? {})}`;

  test('may do what it is for', () => {
    const statements = statementsOf(made[stack], role);
    expect(statements.length).toBeGreaterThan(0);
    expect(may.filter((call) => !isAllowed(statements, call)).map(label)).toEqual([]);
  });

  test('may not do anything of this', () => {
    const statements = statementsOf(made[stack], role);
    expect([...mayNot, ...NOBODY_MAY].filter((call) => isAllowed(statements, call)).map(label)).toEqual([]);
  });
});
