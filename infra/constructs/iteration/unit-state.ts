import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { JsonPath, TaskInput, type TaskStateBase, Timeout } from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';
import { type IterationUnit, STATE_MARGIN_SECONDS, UNITS } from '../../units.ts';
import { RETRY_UNIT } from './errors.ts';

/** What every unit is told: which iteration it serves, in which attempt. */
export const ITERATION = {
  experiment: JsonPath.stringAt('$.experiment'),
  iteration: JsonPath.numberAt('$.iteration'),
  attempt: JsonPath.numberAt('$.attempt'),
} as const;

export interface UnitStateProps {
  readonly comment: string;
  readonly fn: IFunction;
  readonly unit: IterationUnit;
  /** Input beside {@link ITERATION}. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Closed schema of the unit's answer: its keys are what later states may read. @default none: the answer is not kept */
  readonly output?: { readonly shape: Readonly<Record<string, unknown>> };
  /** Where the answer goes in the state. @default discarded */
  readonly resultPath?: string;
}

/** A `lambda:invoke` state: explicit payload, explicit result, retried only for errors that decided nothing. */
export function unitState(scope: Construct, id: string, props: UnitStateProps): TaskStateBase {
  const keys = Object.keys(props.output?.shape ?? {});
  const fields = keys.map((key) => [key, JsonPath.objectAt(`$.Payload.${key}`)]);
  const state = new LambdaInvoke(scope, id, {
    comment: props.comment,
    lambdaFunction: props.fn,
    payload: TaskInput.fromObject({ ...ITERATION, ...props.input }),
    ...(keys.length > 0 && { resultSelector: Object.fromEntries(fields) }),
    resultPath: props.resultPath ?? JsonPath.DISCARD,
    taskTimeout: Timeout.duration(Duration.seconds(UNITS[props.unit].timeoutSeconds + STATE_MARGIN_SECONDS)),
    // RETRY_UNIT names the service's own errors too, with jitter.
    retryOnServiceExceptions: false,
  });
  return state.addRetry(RETRY_UNIT);
}
