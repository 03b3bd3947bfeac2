import { Duration, Fn, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus, type IEventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { ENVIRONMENT_VARIABLES } from '../../shared/contracts/keys.ts';
import { EVENT_ITERATION_COMPLETED, EVENT_SOURCE } from '../../shared/contracts/messages.ts';
import type { DeploymentConfig } from '../config.ts';
import { GeneratedCodeFunction } from '../constructs/generated-code.ts';
import type { IterationFunctions } from '../constructs/iteration/integrations.ts';
import { grantMachine } from '../constructs/machine-rights.ts';
import { RolloutTaskDefinition } from '../constructs/rollout-task.ts';
import { SelfPlayIteration } from '../constructs/self-play-iteration.ts';
import { unitFunction } from '../constructs/unit-function.ts';
import { grantRollout, type RightsProps, startExecutions, UnitRights } from '../constructs/unit-rights.ts';
import { startIterationName } from '../naming.ts';
import { ITERATION_UNITS, UNITS } from '../units.ts';
import type { DataStack } from './data.ts';
import type { NetworkStack } from './network.ts';
import type { PolicyStack } from './policy.ts';

export interface SelfPlayStackProps extends StackProps {
  readonly deployment: DeploymentConfig;
  readonly data: DataStack;
  readonly network: NetworkStack;
  readonly policy: PolicyStack;
}

/** Deliveries of one request before it goes to the dead-letter queue. */
const MAX_RECEIVES = 5;
/** Longest iteration: a day of play and five of training, with spot waits. */
const ITERATION_TIMEOUT = Duration.days(7);

/** The program: requests, units, tasks and the state machine that calls them. */
export class SelfPlayStack extends Stack {
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly machine: StateMachine;
  readonly functions: IterationFunctions;
  readonly startIteration: IFunction;
  readonly events: IEventBus;
  private readonly props: SelfPlayStackProps;
  private readonly logRetention: RetentionDays;
  /** The variables of every unit and task. */
  private readonly shared: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: SelfPlayStackProps) {
    super(scope, id, props);
    this.props = props;
    this.logRetention = props.deployment.logRetentionDays as RetentionDays;
    this.events = EventBus.fromEventBusName(this, 'Events', 'default');
    this.deadLetters = this.fifo('DeadLetters');
    this.queue = this.fifo('Requests', this.deadLetters);
    const { network, deployment } = props;
    const generatedCode = new GeneratedCodeFunction(this, 'GeneratedCode', {
      ...{ vpc: network.vpc, securityGroup: network.generatedCode },
      ...{ deployment, logRetention: this.logRetention },
    });
    this.shared = this.variables(generatedCode.fn);
    const environment = this.shared;
    this.functions = this.units(environment);
    const rollout = new RolloutTaskDefinition(this, 'Rollout', {
      ...{ vpc: network.vpc, securityGroup: network.tasks },
      ...{ deployment, environment, logRetention: this.logRetention },
    });
    this.grant(rollout, generatedCode.fn);
    this.machine = this.stateMachine(rollout);
    this.startIteration = this.starter();
    this.nextIteration();
  }

  private fifo(id: string, deadLetters?: Queue): Queue {
    return new Queue(this, id, {
      fifo: true,
      contentBasedDeduplication: true,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      // Six times the consumer's own timeout, as Lambda asks for.
      visibilityTimeout: Duration.seconds(6 * UNITS['start-iteration'].timeoutSeconds),
      ...(deadLetters && { deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES } }),
    });
  }

  /** How units are told where things are: one variable a thing, the same names as on a laptop. */
  private variables(validator: IFunction): Record<string, string> {
    const { data, policy, deployment } = this.props;
    const names = ENVIRONMENT_VARIABLES;
    return {
      [names.environments]: `s3://${data.environments.bucketName}`,
      [names.episodes]: `s3://${data.episodes.bucketName}`,
      [names.policies]: `s3://${data.policies.bucketName}`,
      [names.corpora]: `s3://${data.corpora.bucketName}`,
      [names.table]: `dynamodb://${data.table.tableName}`,
      [names.events]: `events://${this.events.eventBusName}`,
      [names.policy]: policy.policyUri,
      [names.validator]: validator.functionName,
      [names.stage]: deployment.stage,
      SPADE_SERVING: policy.servingSettings,
    };
  }

  private units(environment: Record<string, string>): IterationFunctions {
    const entries = ITERATION_UNITS.map((unit) => [
      unit,
      unitFunction(this, unit, { environment, logRetention: this.logRetention }),
    ]);
    return Object.fromEntries(entries) as IterationFunctions;
  }

  private grant(rollout: RolloutTaskDefinition, validator: IFunction): void {
    const { data, policy, deployment } = this.props;
    const rights: RightsProps = {
      experiments: deployment.experiments,
      ...{ environments: data.environments, episodes: data.episodes, policies: data.policies, corpora: data.corpora },
      ...{ table: data.table, events: this.events, validator },
      ...{ endpointName: policy.endpointName, servingRole: policy.servingRole },
    };
    const units = new UnitRights(rights);
    for (const unit of ITERATION_UNITS) units.grant(unit, this.functions[unit]);
    grantRollout(rollout.taskRole, rights);
  }

  private stateMachine(rollout: RolloutTaskDefinition): StateMachine {
    const { data, policy, deployment } = this.props;
    const iteration = new SelfPlayIteration(this, 'Iteration', {
      functions: this.functions,
      rollout: rollout.task,
      trainer: { image: policy.trainerImage, roleArn: policy.trainingRole.roleArn, environment: {} },
      buckets: { episodes: data.episodes.bucketName, policies: data.policies.bucketName },
      stage: deployment.stage,
    });
    const machine = new StateMachine(this, 'SelfPlayIteration', {
      definitionBody: DefinitionBody.fromChainable(iteration.start),
      timeout: ITERATION_TIMEOUT,
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'IterationLogs', { retention: this.logRetention }),
        level: LogLevel.ALL,
        // Pointers and counts only: nothing that a model wrote is in the state.
        includeExecutionData: true,
      },
    });
    grantMachine(machine, rollout, policy.trainingRole);
    return machine;
  }

  /** Queue to execution: a function and not a pipe, because only a function can name the execution after the request. */
  private starter(): IFunction {
    const { deployment } = this.props;
    const fn = unitFunction(this, 'start-iteration', {
      functionName: startIterationName(deployment.stage),
      environment: {
        ...this.shared,
        [ENVIRONMENT_VARIABLES.queue]: `sqs://${Fn.select(1, Fn.split('https://', this.queue.queueUrl))}`,
        [ENVIRONMENT_VARIABLES.stateMachine]: this.machine.stateMachineArn,
      },
      logRetention: this.logRetention,
    });
    startExecutions(fn, this.machine.stateMachineArn);
    const maxConcurrency = deployment.quotas.concurrentExperiments;
    fn.addEventSource(new SqsEventSource(this.queue, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency }));
    return fn;
  }

  /** A completed iteration asks for the next one by itself. */
  private nextIteration(): void {
    const rule = new Rule(this, 'IterationCompleted', {
      description: 'IterationCompleted with a next request: on to the queue',
      eventBus: this.events,
      eventPattern: {
        source: [EVENT_SOURCE],
        detailType: [EVENT_ITERATION_COMPLETED],
        detail: { next: { experiment: [{ exists: true }] } },
      },
    });
    rule.addTarget(
      new SqsQueue(this.queue, {
        message: RuleTargetInput.fromEventPath('$.detail.next'),
        // One group: requests of all experiments start in order, which takes milliseconds; executions run side by side.
        messageGroupId: 'iterations',
      }),
    );
  }
}
