import { Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { TRAINING_JOB_PREFIX } from '../naming.ts';
import type { RolloutTaskDefinition } from './rollout-task.ts';

/**
 * What the two custom states of the machine need beside what the CDK gives for Lambda: starting, watching and stopping one kind of task and one
 * kind of job, and handing over exactly their roles. Custom states bring no rights of their own.
 */
export function grantMachine(machine: StateMachine, rollout: RolloutTaskDefinition, trainingRole: IRole): void {
  for (const statement of [...tasks(machine, rollout), ...jobs(machine, trainingRole)])
    machine.addToRolePolicy(statement);
}

function tasks(machine: StateMachine, { task, taskRole, executionRole }: RolloutTaskDefinition): PolicyStatement[] {
  const ofCluster = { ArnEquals: { 'ecs:cluster': task.clusterArn } };
  return [
    new PolicyStatement({ actions: ['ecs:RunTask'], resources: [task.taskDefinitionArn], conditions: ofCluster }),
    // Tasks have no name before they run.
    new PolicyStatement({ actions: ['ecs:StopTask', 'ecs:DescribeTasks'], resources: ['*'], conditions: ofCluster }),
    new PolicyStatement({
      actions: ['ecs:TagResource'],
      resources: [arn(machine, 'ecs', 'task', '*')],
      conditions: { StringEquals: { 'ecs:CreateAction': 'RunTask' } },
    }),
    pass([taskRole, executionRole], 'ecs-tasks.amazonaws.com'),
    managedRule(machine, 'StepFunctionsGetEventsForECSTaskRule'),
  ];
}

function jobs(machine: StateMachine, trainingRole: IRole): PolicyStatement[] {
  const ours = [arn(machine, 'sagemaker', 'training-job', `${TRAINING_JOB_PREFIX}*`)];
  return [
    new PolicyStatement({
      actions: [
        'sagemaker:CreateTrainingJob',
        'sagemaker:DescribeTrainingJob',
        'sagemaker:StopTrainingJob',
        // Step Functions tags the jobs that it starts.
        'sagemaker:AddTags',
        'sagemaker:ListTags',
      ],
      resources: ours,
    }),
    pass([trainingRole], 'sagemaker.amazonaws.com'),
    managedRule(machine, 'StepFunctionsGetEventsForSageMakerTrainingJobsRule'),
  ];
}

function pass(roles: readonly IRole[], service: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['iam:PassRole'],
    resources: roles.map(({ roleArn }) => roleArn),
    conditions: { StringEquals: { 'iam:PassedToService': service } },
  });
}

/** `.sync` waits by a rule that Step Functions keeps in the account. */
function managedRule(machine: StateMachine, name: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['events:PutTargets', 'events:PutRule', 'events:DescribeRule'],
    resources: [arn(machine, 'events', 'rule', name)],
  });
}

function arn(machine: StateMachine, service: string, resource: string, resourceName: string): string {
  return Stack.of(machine).formatArn({ service, resource, resourceName });
}
