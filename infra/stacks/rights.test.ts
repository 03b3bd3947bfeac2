import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import { statementsOf, templates, testStacks } from '../testing/index.ts';
import { type Call, isAllowed } from '../testing/simulate.ts';
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
    'validateenvironment',
    [
      s3('GetObject', 'Episodes', 'demo/0001/designs/0000/design-0.json'),
      s3('PutObject', 'Episodes', 'demo/0001/designs/0000/verdict-0.json'),
    ],
    [s3('GetObject', 'Environments', `demo/${HASH}/hint.txt`), invoke, item('PutItem', 'EXP#demo')],
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

describe.each(TABLE)('%s %s', (stack, role, may, mayNot) => {
  const label = (call: Call) => `${call.action} ${call.resource} ${JSON.stringify(call.context ?? {})}`;

  test('may do what it is for', () => {
    const statements = statementsOf(made[stack], role);
    expect(statements.length).toBeGreaterThan(0);
    expect(may.filter((call) => !isAllowed(statements, call)).map(label)).toEqual([]);
  });

  test('may not do anything of this', () => {
    const statements = statementsOf(made[stack], role);
    expect(mayNot.filter((call) => isAllowed(statements, call)).map(label)).toEqual([]);
  });
});
