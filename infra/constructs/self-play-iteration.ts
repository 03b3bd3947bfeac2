import { Duration } from 'aws-cdk-lib';
import {
  Choice,
  Condition,
  type CustomState,
  Fail,
  type IChainable,
  type INextable,
  JsonPath,
  Map as MapState,
  Pass,
  Result,
  type State,
  Succeed,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ANY_ERROR, ERROR_NAMES } from '../../shared/contracts/errors.ts';
import * as contract from '../../shared/contracts/state.ts';
import type { IterationUnit } from '../units.ts';
import type { BucketNames, IterationFunctions, RolloutTask, TrainerJob } from './iteration/integrations.ts';
import { RolloutMap } from './iteration/rollout-map.ts';
import { channel, trainingState } from './iteration/training-state.ts';
import { unitState } from './iteration/unit-state.ts';

/** How often a version that is coming up is asked for, seconds. An endpoint takes 6 to 15 minutes; a transition costs $0.000025. */
const SERVE_POLL_SECONDS = 30;

export interface SelfPlayIterationProps {
  readonly functions: IterationFunctions;
  readonly rollout: RolloutTask;
  readonly trainer: TrainerJob;
  readonly buckets: BucketNames;
  /** Deployment stage, for the tags of what the machine starts. */
  readonly stage: string;
}

type Linked = State & INextable & IChainable;

/**
 * The definition of SelfPlayIteration: one method per phase, in the order of the loop (docs/architecture.md). Both hosts run it:
 * AWS as deployed, a laptop as rendered.
 *
 * State: the request's `experiment`, `iteration` and `attempt` stay at the root; each unit's answer goes under its own name. Only pointers
 * and counts travel. Every phase's errors go to `FailIteration`, except inside maps, where a lost item is a missing object.
 */
export class SelfPlayIteration extends Construct {
  readonly start: IChainable;
  private readonly props: SelfPlayIterationProps;
  private readonly fail: Linked;

  constructor(scope: Construct, id: string, props: SelfPlayIterationProps) {
    super(scope, id);
    this.props = props;
    this.fail = this.failIteration();
    const close = this.close();
    const train = this.train(this.evaluate(this.publish(close)));
    const play = this.serve(
      'ServePolicy',
      '$.plan.policyVersion',
      '$.serving',
      this.design(this.rollout(this.score(train))),
    );
    this.start = this.plan(play, close);
  }

  /** Phase 1. */
  private plan(onward: IChainable, close: IChainable): IChainable {
    const plan = this.unit('PlanIteration', 'plan-iteration', {
      comment: 'Phase 1, plan: design requests, seeds, budget and stop conditions',
      output: contract.PlanOutput,
      resultPath: '$.plan',
    });
    const goOn = new Choice(this, 'StopOrPlay', { comment: 'A plan that says why to stop skips to the record' });
    plan.next(goOn.when(Condition.isNull('$.plan.stop'), onward).otherwise(close));
    return plan;
  }

  /** Phase 2, and the first step of phase 7: asks until the version answers; the machine's timeout bounds the asking. */
  private serve(id: string, versionPath: string, resultPath: string, onward: IChainable): Linked {
    const serve = this.unit(id, 'serve-policy', {
      comment: 'Phases 2 and 7, serve: make a policy version answer',
      input: { policyVersion: JsonPath.numberAt(versionPath) },
      output: contract.ServeOutput,
      resultPath,
    });
    const wait = new Wait(this, `${id}Wait`, { time: WaitTime.duration(Duration.seconds(SERVE_POLL_SECONDS)) });
    wait.next(serve);
    const ready = new Choice(this, `${id}Ready`);
    serve.next(ready.when(Condition.booleanEquals(`${resultPath}.ready`, true), onward).otherwise(wait));
    return serve;
  }

  /** Phase 3: designs side by side, then admission one by one, so that what is a duplicate does not depend on timing. */
  private design(onward: IChainable): IChainable {
    const map = new MapState(this, 'DesignEnvironments', {
      comment: 'Phase 3, design: none while the generation window is open',
      itemsPath: '$.plan.designs',
      maxConcurrencyPath: '$.plan.maxConcurrentDesigns',
      itemSelector: {
        experiment: JsonPath.stringAt('$.experiment'),
        iteration: JsonPath.numberAt('$.iteration'),
        attempt: JsonPath.numberAt('$.attempt'),
        index: JsonPath.numberAt('$$.Map.Item.Value.index'),
      },
      resultPath: JsonPath.DISCARD,
    });
    map.itemProcessor(this.designItem());
    const admit = this.unit('AdmitEnvironments', 'admit-environments', {
      comment: 'Phase 3, admit: refuse near-duplicates in design order, plan the rollout shards',
      output: contract.ShardsOutput,
      resultPath: '$.rollouts',
    });
    map.addCatch(this.fail, { errors: [ANY_ERROR], resultPath: '$.error' });
    map.next(admit);
    admit.next(onward);
    return map;
  }

  /** One design: written, validated, and repaired once if its verdict says so. Its objects in the store are its result. */
  private designItem(): IChainable {
    const lost = new Pass(this, 'DesignLost', {
      comment: 'A design without a verdict never ends an iteration; admission counts it as lost',
      outputPath: JsonPath.DISCARD,
    });
    const done = new Pass(this, 'DesignDone', { outputPath: JsonPath.DISCARD });
    const repair = this.turn('RepairEnvironment', 'design-environment', 1, lost);
    repair.next(this.turn('ValidateRepair', 'validate-environment', 1, lost).next(done));
    const decide = new Choice(this, 'RepairOrKeep')
      .when(Condition.booleanEquals('$.verdict.repair', true), repair)
      .otherwise(done);
    const design = this.turn('DesignEnvironment', 'design-environment', 0, lost);
    return design.next(this.turn('ValidateEnvironment', 'validate-environment', 0, lost).next(decide));
  }

  /** One of the two steps of a design turn; only the verdict is kept, for the choice that follows. */
  private turn(id: string, unit: IterationUnit, number: number, lost: IChainable): Linked {
    const state = unitState(this, id, {
      comment: number === 0 ? 'Phase 3: the design' : 'Phase 3: the one repair turn, never trained',
      fn: this.props.functions[unit],
      unit,
      input: { index: JsonPath.numberAt('$.index'), turn: number },
      ...(unit === 'validate-environment' && { output: contract.ValidateOutput, resultPath: '$.verdict' }),
    });
    return state.addCatch(lost, { errors: [ANY_ERROR], resultPath: '$.error' });
  }

  /** Phase 4. */
  private rollout(onward: IChainable): IChainable {
    return this.shards('Rollout', 'Phase 4, rollout: both arms of every environment', '$.rollouts.shards', onward);
  }

  /** Phase 5. */
  private score(onward: IChainable): IChainable {
    const score = this.unit('ScoreRollouts', 'score-rollouts', {
      comment: 'Phase 5, score: regret, designer rewards, advantages, training batch, memory',
      output: contract.ScoreOutput,
      resultPath: '$.score',
    });
    score.next(onward);
    return score;
  }

  /** Phase 6: the parts of the request that have two shapes are chosen first, so that one state holds the whole request. */
  private train(evaluate: IChainable): IChainable {
    const { buckets, trainer, stage } = this.props;
    const train = trainingState(this, 'TrainPolicy', { job: trainer, buckets, stage });
    train.addCatch(this.fail, { errors: [ANY_ERROR], resultPath: '$.error' });
    train.next(this.trainingResult(evaluate));
    const untrained = new Pass(this, 'NothingToTrain', { result: outcome(false), resultPath: '$.training' });
    untrained.next(evaluate);
    return new Choice(this, 'TrainOrSkip', { comment: 'Phase 6, train: skipped when no sample carries a gradient' })
      .when(Condition.booleanEquals('$.score.train', true), this.stopping(this.channels(train)))
      .otherwise(untrained);
  }

  /** MaxWaitTimeInSeconds is refused without managed spot. */
  private stopping(onward: IChainable): IChainable {
    const runtime = { 'MaxRuntimeInSeconds.$': '$.score.training.maxRuntimeSeconds' };
    const shape = (id: string, parameters: Record<string, unknown>) => {
      const pass = new Pass(this, id, { parameters, resultPath: '$.stopping' });
      pass.next(onward);
      return pass;
    };
    return new Choice(this, 'SpotOrOnDemand')
      .when(
        Condition.booleanEquals('$.score.training.spot', true),
        shape('SpotLimits', { ...runtime, 'MaxWaitTimeInSeconds.$': '$.score.training.maxWaitSeconds' }),
      )
      .otherwise(shape('OnDemandLimits', runtime));
  }

  /**
   * An empty prefix would fail the job, so what is not there has no channel: the training state of the imported policy, and the model under a
   * policy that is no adapter.
   */
  private channels(onward: CustomState): IChainable {
    const { episodes, policies } = this.props.buckets;
    const always = [
      channel('policy', policies, '$.score.training.policyPrefix'),
      channel('batch', episodes, '$.score.training.batchPrefix'),
    ];
    const state = channel('state', policies, '$.score.training.statePrefix');
    const base = channel('base', policies, '$.score.training.basePrefix');
    const shape = (id: string, channels: readonly unknown[]) => {
      const pass = new Pass(this, id, { parameters: { list: channels }, resultPath: '$.channels' });
      pass.next(onward);
      return pass;
    };
    const baseOrWhole = (id: string, channels: readonly unknown[]) =>
      new Choice(this, `${id}BaseOrWhole`)
        .when(Condition.booleanEquals('$.score.training.hasBase', true), shape(`${id}AndBase`, [...channels, base]))
        .otherwise(shape(id, channels));
    return new Choice(this, 'StateOrFresh')
      .when(
        Condition.booleanEquals('$.score.training.hasState', true),
        baseOrWhole('ChannelsWithState', [...always, state]),
      )
      .otherwise(baseOrWhole('ChannelsWithoutState', always));
  }

  /** Stopped by its time limit is not success, whatever the integration makes of it. */
  private trainingResult(evaluate: IChainable): IChainable {
    const trained = new Pass(this, 'Trained', { result: outcome(true), resultPath: '$.training' });
    trained.next(this.serve('ServeCandidate', '$.plan.nextPolicyVersion', '$.candidate', evaluate));
    const stopped = new Pass(this, 'TrainingStopped', {
      parameters: {
        Error: ERROR_NAMES.trainingFailed,
        'Cause.$':
          "States.Format('training job {} ended as {} ({})', $.score.training.jobName, $.trainingJob.status, $.trainingJob.secondaryStatus)",
      },
      resultPath: '$.error',
    });
    stopped.next(this.fail);
    return new Choice(this, 'TrainingCompleted')
      .when(Condition.stringEquals('$.trainingJob.status', 'Completed'), trained)
      .otherwise(stopped);
  }

  /** Phase 7. */
  private evaluate(publish: IChainable): IChainable {
    const plan = this.unit('PlanEvaluation', 'plan-evaluation', {
      comment: 'Phase 7, evaluate: shards of the fixed benchmark; none when no evaluation is due',
      input: { trained: JsonPath.objectAt('$.training.done') },
      output: contract.ShardsOutput,
      resultPath: '$.evaluation',
    });
    plan.next(
      this.shards('Evaluate', 'Phase 7, evaluate: unhinted play of the benchmark', '$.evaluation.shards', publish),
    );
    return plan;
  }

  /** Phase 8. */
  private publish(close: IChainable): IChainable {
    const publish = this.unit('PublishPolicy', 'publish-policy', {
      comment: 'Phase 8, publish: promote the candidate if it is sane, else keep the current version',
      input: { trained: JsonPath.objectAt('$.training.done') },
      output: contract.PublishOutput,
      resultPath: '$.publication',
    });
    publish.next(close);
    return publish;
  }

  /** Phase 9. */
  private close(): IChainable {
    const close = this.unit('CloseIteration', 'close-iteration', {
      comment: 'Phase 9, close: record and spend; the event that it emits asks for the next iteration',
      input: { stop: JsonPath.objectAt('$.plan.stop') },
    });
    close.next(new Succeed(this, 'IterationClosed'));
    return close;
  }

  /** Any phase's error: recorded, what bills by the hour released, people told; the request can be replayed. */
  private failIteration(): Linked {
    const failed = new Fail(this, 'IterationFailed', {
      errorPath: JsonPath.stringAt('$.error.Error'),
      causePath: JsonPath.stringAt('$.error.Cause'),
    });
    const record = unitState(this, 'FailIteration', {
      comment: 'Any failure: record it, release what bills by the hour, notify',
      fn: this.props.functions['fail-iteration'],
      unit: 'fail-iteration',
      input: { error: JsonPath.objectAt('$.error') },
    });
    record.addCatch(failed, { errors: [ANY_ERROR], resultPath: '$.failure' });
    record.next(failed);
    return record;
  }

  private shards(id: string, comment: string, shardsPath: string, onward: IChainable): IChainable {
    const { rollout: task, stage } = this.props;
    const { map } = new RolloutMap(this, id, { comment, task, stage, shardsPath });
    map.addCatch(this.fail, { errors: [ANY_ERROR], resultPath: '$.error' });
    map.next(onward);
    return map;
  }

  /** A unit call whose errors end the iteration. */
  private unit(id: string, unit: IterationUnit, props: UnitProps): Linked {
    const state = unitState(this, id, { ...props, unit, fn: this.props.functions[unit] });
    return state.addCatch(this.fail, { errors: [ANY_ERROR], resultPath: '$.error' });
  }
}

/** Whether phase 6 trained; an object, because interpreters differ on a bare `false` as a result. */
function outcome(done: boolean): Result {
  return Result.fromObject({ done });
}

interface UnitProps {
  readonly comment: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly output?: { readonly shape: Readonly<Record<string, unknown>> };
  readonly resultPath?: string;
}
