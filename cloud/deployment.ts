import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { startIterationName } from '../infra/naming.ts';
import { openTable, type TableServices } from '../shared/adapters/dynamodb/open.ts';
import { openQueue } from '../shared/adapters/queue.ts';
import { openStores } from '../shared/adapters/stores.ts';
import { requiredVariable, type Variables } from '../shared/adapters/variables.ts';
import { ENVIRONMENT_VARIABLES, NotFound } from '../shared/contracts/index.ts';
import type { Queue, Stores } from '../shared/ports/index.ts';

/** A deployment in an AWS account as the caller's credentials reach it. */
export interface Deployment {
  readonly stage: string;
  /** Where everything is, by the units' own variables. */
  readonly variables: Variables;
  readonly stores: Stores;
  readonly queue: Queue;
  readonly table: TableServices;
}

/**
 * Opens the deployment of a stage: where its parts are is read from the configuration of its starting function.
 * @throws {NotFound} when the stage is not deployed in the region of the credentials
 */
export async function openDeployment(stage: string, client = new LambdaClient({})): Promise<Deployment> {
  const name = startIterationName(stage);
  const configuration = await client
    .send(new GetFunctionConfigurationCommand({ FunctionName: name }))
    .catch((cause: Error) => {
      if (cause.name === 'ResourceNotFoundException')
        throw new NotFound(`function ${name} (is stage ${stage} deployed?)`, { cause });
      throw cause;
    });
  const variables = configuration.Environment?.Variables ?? {};
  return {
    stage,
    variables,
    stores: openStores(variables),
    queue: openQueue(requiredVariable(variables, ENVIRONMENT_VARIABLES.queue)),
    table: openTable(requiredVariable(variables, ENVIRONMENT_VARIABLES.table)),
  };
}
