import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import type { SQSBatchResponse } from 'aws-lambda';
import * as z from 'zod';
import { ENVIRONMENT_VARIABLES, InvalidInput, type IterationRequest, requestId } from '../../shared/contracts/index.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { cloudTelemetry, type Telemetry } from '../telemetry.ts';
import { type StartDeps, startIterations } from './start-iteration.ts';

/** The part of an SQS event that is used; AWS adds fields at will. */
const QueueEvent = z.looseObject({
  Records: z.array(
    z.looseObject({
      messageId: z.string(),
      body: z.string(),
      attributes: z.looseObject({ MessageGroupId: z.string().optional() }),
    }),
  ),
});

/** Wires the start of iterations; in the cloud only, since a laptop takes requests from its own queue. */
export function createHandler(
  env: Environment,
  client: Pick<SFNClient, 'send'> = new SFNClient({ maxAttempts: 5 }),
  telemetry: Telemetry = cloudTelemetry(),
): UnitHandler<SQSBatchResponse> {
  const stateMachineArn = env[ENVIRONMENT_VARIABLES.stateMachine];
  if (!stateMachineArn)
    throw new InvalidInput(`environment variable ${ENVIRONMENT_VARIABLES.stateMachine}`, ['not set']);
  return createUnit({
    unit: 'start-iteration',
    input: QueueEvent,
    telemetry,
    run: (event) =>
      startIterations(event as never, { start: startExecution(client, stateMachineArn), log: telemetry.log }),
  });
}

/** Executions are named by the request, so a message that is delivered twice starts one. */
function startExecution(client: Pick<SFNClient, 'send'>, stateMachineArn: string): StartDeps['start'] {
  return async (request: IterationRequest) => {
    const name = requestId(request);
    try {
      await client.send(new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(request) }));
      return 'started';
    } catch (error) {
      if (error instanceof ExecutionAlreadyExists) return 'already-started';
      throw error;
    }
  };
}

export const handler = lambdaEntry((env) => createHandler(env));
