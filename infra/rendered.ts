import { App, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { StateGraph } from 'aws-cdk-lib/aws-stepfunctions';
import type { IterationFunctions } from './constructs/iteration/integrations.ts';
import { SelfPlayIteration } from './constructs/self-play-iteration.ts';
import { ITERATION_UNITS } from './units.ts';

/** Names that stand for AWS resources when the machine is rendered for a host that has none. */
export const RENDERED_NAMES = {
  account: '000000000000',
  region: 'us-east-1',
  buckets: { episodes: 'episodes', policies: 'policies' },
  stage: 'local',
} as const;

/**
 * Renders SelfPlayIteration outside any deployment: the same construct, with literal names in place of resources.
 * @returns the Amazon States Language definition as JSON text
 */
export function renderIteration(): string {
  const { account, region } = RENDERED_NAMES;
  const stack = new Stack(new App({ analyticsReporting: false }), 'Rendered', { env: { account, region } });
  const iteration = new SelfPlayIteration(stack, 'Iteration', {
    functions: functionsByName(stack),
    rollout: {
      clusterArn: `arn:aws:ecs:${region}:${account}:cluster/spade`,
      taskDefinitionArn: `arn:aws:ecs:${region}:${account}:task-definition/rollout:1`,
      containerName: 'rollout',
      subnetIds: ['subnet-local'],
      securityGroupIds: ['sg-local'],
    },
    trainer: { image: 'trainer', roleArn: `arn:aws:iam::${account}:role/trainer`, environment: {} },
    buckets: RENDERED_NAMES.buckets,
    stage: RENDERED_NAMES.stage,
  });
  const graph = new StateGraph(iteration.start.startState, 'SelfPlayIteration');
  return withPartition(stack.resolve(stack.toJsonString(graph.toGraphJson())));
}

function functionsByName(stack: Stack): IterationFunctions {
  const { account, region } = RENDERED_NAMES;
  const entries = ITERATION_UNITS.map((unit) => {
    const arn = `arn:aws:lambda:${region}:${account}:function:${unit}`;
    return [unit, LambdaFunction.fromFunctionArn(stack, unit, arn)];
  });
  return Object.fromEntries(entries) as IterationFunctions;
}

/** The text of a definition in which only the partition was left to CloudFormation. */
function withPartition(definition: string | { 'Fn::Join': [string, unknown[]] }): string {
  if (typeof definition === 'string') return definition;
  const [separator, parts] = definition['Fn::Join'];
  return parts.map((part) => (typeof part === 'string' ? part : 'aws')).join(separator);
}
