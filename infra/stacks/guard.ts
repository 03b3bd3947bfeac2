import { Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { type EventPattern, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget, SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import { EVENT_ITERATION_FAILED, EVENT_SOURCE } from '../../shared/contracts/messages.ts';
import type { DeploymentConfig } from '../config.ts';
import { Alarms } from '../constructs/alarms.ts';
import { Curves } from '../constructs/curves.ts';
import { PROJECT_TAG_VALUE, REQUEST_TAGS } from '../constructs/iteration/integrations.ts';
import { PolicyRights } from '../constructs/policy-rights.ts';
import { unitFunction } from '../constructs/unit-function.ts';
import { TRAINING_JOB_PREFIX } from '../naming.ts';
import type { DataStack } from './data.ts';
import type { PolicyStack } from './policy.ts';
import type { SelfPlayStack } from './self-play.ts';

export interface GuardStackProps extends StackProps {
  readonly deployment: DeploymentConfig;
  readonly data: DataStack;
  readonly policy: PolicyStack;
  readonly selfPlay: SelfPlayStack;
}

/** How often the reaper looks for endpoints whose lease is over; what it misses costs at most this long. */
const REAP_EVERY = Duration.minutes(30);

/** What watches the money and the health: budget, reaper, alarms, notices, curves. */
export class GuardStack extends Stack {
  readonly topic: Topic;
  readonly reaper: IFunction;

  constructor(scope: Construct, id: string, props: GuardStackProps) {
    super(scope, id, props);
    this.topic = new Topic(this, 'Notices', { enforceSSL: true });
    this.topic.addSubscription(new EmailSubscription(props.deployment.notify));
    this.budget(props.deployment);
    this.reaper = this.buildReaper(props);
    this.notices(props.data);
    new Alarms(this, 'Alarms', { topic: this.topic, selfPlay: props.selfPlay, reaper: this.reaper });
    new Curves(this, 'Curves', { stage: props.deployment.stage, functions: props.selfPlay.functions });
  }

  /** Billing data is hours late: the budget informs, the caps inside the program stop. */
  private budget({ budgetUsdPerMonth, notify, stage }: DeploymentConfig): void {
    const subscribers = [{ subscriptionType: 'EMAIL', address: notify }];
    const at = (notificationType: string, threshold: number) => ({
      notification: { comparisonOperator: 'GREATER_THAN', notificationType, threshold, thresholdType: 'PERCENTAGE' },
      subscribers,
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `spade-${stage}`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: budgetUsdPerMonth, unit: 'USD' },
        costFilters: { TagKeyValue: [`user:${REQUEST_TAGS.project}$${PROJECT_TAG_VALUE}`] },
      },
      notificationsWithSubscribers: [at('ACTUAL', 50), at('ACTUAL', 90), at('FORECASTED', 100)],
    });
  }

  /** The one thing on a schedule: removes endpoints whose lease nobody renews. */
  private buildReaper({ deployment, policy }: GuardStackProps): LambdaFunction {
    const environment = { SPADE_ENDPOINT: policy.endpointName, SPADE_STAGE: deployment.stage };
    const logRetention = deployment.logRetentionDays as RetentionDays;
    const fn = unitFunction(this, 'reap-endpoints', { environment, logRetention });
    const rights = new PolicyRights(policy.endpointName, policy.servingRole);
    rights.release(fn);
    rights.readTags(fn);
    new Rule(this, 'Reap', {
      schedule: Schedule.rate(REAP_EVERY),
      targets: [new LambdaTarget(fn, { retryAttempts: 2 })],
    });
    return fn;
  }

  /** What a person wants to hear of: a corpus has arrived, an iteration has failed, a training job has ended badly. */
  private notices(data: DataStack): void {
    const notice = (id: string, eventPattern: EventPattern) =>
      new Rule(this, id, { eventPattern, targets: [new SnsTopic(this.topic)] });
    notice('CorpusUploaded', {
      source: ['aws.s3'],
      detailType: ['Object Created'],
      detail: { bucket: { name: [data.corpora.bucketName] } },
    });
    notice('IterationFailed', { source: [EVENT_SOURCE], detailType: [EVENT_ITERATION_FAILED] });
    notice('TrainingJobEnded', {
      source: ['aws.sagemaker'],
      detailType: ['SageMaker Training Job State Change'],
      detail: { TrainingJobName: [{ prefix: TRAINING_JOB_PREFIX }], TrainingJobStatus: ['Failed', 'Stopped'] },
    });
  }
}
