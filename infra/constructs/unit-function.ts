import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Architecture, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { UNITS, type UnitName } from '../units.ts';
import { unitCode } from './unit-bundle.ts';

export interface UnitFunctionProps {
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetention: RetentionDays;
  /** @default a name that CloudFormation makes up */
  readonly functionName?: string;
}

/** The deployed function of one unit. */
export function unitFunction(scope: Construct, unit: UnitName, props: UnitFunctionProps): LambdaFunction {
  const { timeoutSeconds, memoryMb, description } = UNITS[unit];
  const logGroup = new LogGroup(scope, `${unit}-logs`, {
    retention: props.logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return new LambdaFunction(scope, unit, {
    description,
    ...(props.functionName && { functionName: props.functionName }),
    code: unitCode(unit),
    handler: 'handler.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    timeout: Duration.seconds(timeoutSeconds),
    memorySize: memoryMb,
    tracing: Tracing.ACTIVE,
    logGroup,
    environment: { ...props.environment },
  });
}
