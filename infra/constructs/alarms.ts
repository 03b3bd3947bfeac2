import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { SelfPlayStack } from '../stacks/self-play.ts';

export interface AlarmsProps {
  readonly topic: ITopic;
  readonly selfPlay: SelfPlayStack;
  readonly reaper: IFunction;
}

const PERIOD = Duration.minutes(5);

/** One alarm for each way in which the loop stops without saying so; each has an entry of its name in docs/runbook.md. */
export class Alarms extends Construct {
  private readonly topic: ITopic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.topic = props.topic;
    const { queue, deadLetters, machine, startIteration } = props.selfPlay;
    const sum = { period: PERIOD, statistic: 'Sum' };
    this.alarm(
      'RequestUndeliverable',
      'an iteration request could not be started',
      deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: 'Maximum' }),
    );
    this.alarm(
      'RequestStuck',
      'an iteration request has waited for more than 15 minutes',
      queue.metricApproximateAgeOfOldestMessage({ period: PERIOD, statistic: 'Maximum' }),
      900,
    );
    this.alarm('IterationFailed', 'an iteration ended in failure', machine.metricFailed(sum));
    this.alarm('IterationTimedOut', 'an iteration ran into its time limit', machine.metricTimedOut(sum));
    this.alarm('StartIterationErrors', 'start-iteration fails', startIteration.metricErrors(sum));
    this.alarm('ReaperErrors', 'the reaper fails: an endpoint may be left running', props.reaper.metricErrors(sum));
  }

  private alarm(name: string, what: string, metric: IMetric, above = 0): void {
    const alarm = new Alarm(this, name, {
      metric,
      alarmDescription: `${what}; see docs/runbook.md#${name.toLowerCase()}`,
      threshold: above,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
  }
}
