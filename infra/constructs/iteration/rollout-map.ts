import { CustomState, JsonPath, Map as MapState, Pass } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ANY_ERROR } from '../../../shared/contracts/errors.ts';
import { ENVIRONMENT_VARIABLES } from '../../../shared/contracts/keys.ts';
import { RETRY_LOST_TASK, RETRY_ON_DEMAND, RETRY_SPOT } from './errors.ts';
import { PROJECT_TAG_VALUE, REQUEST_TAGS, type RolloutTask } from './integrations.ts';

/**
 * Longest life of one rollout task, seconds: 4 h. A shard of 6 environments × 16 episodes × 2 arms × 25 turns at 3 s a turn, 64 episodes at once,
 * takes about 4 minutes; the rest is for a slow endpoint. The bound is what stops a hung task from costing money.
 */
export const TASK_TIMEOUT_SECONDS = 4 * 3600;

export interface RolloutMapProps {
  readonly comment: string;
  readonly task: RolloutTask;
  readonly stage: string;
  /** Path of the shard list (`[{shard, job}]`). */
  readonly shardsPath: string;
}

/**
 * One task per shard: on Spot, and on demand when Spot has no capacity or the task is lost twice. A shard that is lost all the
 * same does not fail the map: its objects are missing, and the next phase decides what that means.
 */
export class RolloutMap extends Construct {
  readonly map: MapState;

  constructor(scope: Construct, id: string, props: RolloutMapProps) {
    super(scope, `${id}Tasks`);
    this.map = new MapState(scope, id, {
      comment: props.comment,
      itemsPath: props.shardsPath,
      maxConcurrencyPath: '$.plan.maxConcurrentRollouts',
      itemSelector: {
        experiment: JsonPath.stringAt('$.experiment'),
        shard: JsonPath.numberAt('$$.Map.Item.Value.shard'),
        job: JsonPath.stringAt('$$.Map.Item.Value.job'),
      },
      resultPath: JsonPath.DISCARD,
    });
    const lost = new Pass(scope, `${id}Lost`, {
      comment: 'The shard has no result; its episodes count as infra_lost',
      outputPath: JsonPath.DISCARD,
    });
    const onDemand = taskState(scope, `${id}OnDemand`, 'FARGATE', props);
    onDemand.addRetry(RETRY_ON_DEMAND).addRetry(RETRY_LOST_TASK);
    onDemand.addCatch(lost, { errors: [ANY_ERROR], resultPath: '$.error' });
    const onSpot = taskState(scope, `${id}OnSpot`, 'FARGATE_SPOT', props);
    onSpot.addRetry(RETRY_SPOT).addRetry(RETRY_LOST_TASK);
    onSpot.addCatch(onDemand, { errors: [ANY_ERROR], resultPath: '$.error' });
    this.map.itemProcessor(onSpot);
  }
}

/** `ecs:runTask.sync` with the whole request, because the L2 state has no tags and names no revision. */
function taskState(scope: Construct, id: string, capacityProvider: string, props: RolloutMapProps): CustomState {
  const { task, stage } = props;
  return new CustomState(scope, id, {
    stateJson: {
      Type: 'Task',
      Comment: `Plays one shard on ${capacityProvider}; finished environments are never played again`,
      Resource: 'arn:aws:states:::ecs:runTask.sync',
      TimeoutSeconds: TASK_TIMEOUT_SECONDS,
      Parameters: {
        Cluster: task.clusterArn,
        TaskDefinition: task.taskDefinitionArn,
        CapacityProviderStrategy: [{ CapacityProvider: capacityProvider, Weight: 1 }],
        NetworkConfiguration: {
          AwsvpcConfiguration: {
            Subnets: task.subnetIds,
            SecurityGroups: task.securityGroupIds,
            AssignPublicIp: 'DISABLED',
          },
        },
        Overrides: {
          ContainerOverrides: [
            {
              Name: task.containerName,
              Environment: [
                { Name: ENVIRONMENT_VARIABLES.job, 'Value.$': '$.job' },
                { Name: ENVIRONMENT_VARIABLES.capacity, Value: capacityProvider },
              ],
            },
          ],
        },
        PropagateTags: 'TASK_DEFINITION',
        Tags: [
          { Key: REQUEST_TAGS.project, Value: PROJECT_TAG_VALUE },
          { Key: REQUEST_TAGS.stage, Value: stage },
          { Key: REQUEST_TAGS.experiment, 'Value.$': '$.experiment' },
        ],
      },
      ResultPath: null,
      OutputPath: null,
    },
  });
}
