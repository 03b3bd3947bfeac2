import { SageMakerClient } from '@aws-sdk/client-sagemaker';
import * as z from 'zod';
import { leasedEndpoint } from '../../shared/adapters/policy/leased-endpoint.ts';
import { releaseEndpoint } from '../../shared/adapters/policy/release-endpoint.ts';
import { requiredVariable } from '../../shared/adapters/variables.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { cloudTelemetry } from '../telemetry.ts';
import { type Reaped, reapEndpoints } from './reap-endpoints.ts';

/** Wires the reaper; in the cloud only, since nothing on a laptop bills by the hour. Its event is a schedule's and says nothing. */
export function createHandler(env: Environment): UnitHandler<Reaped> {
  const endpoint = {
    name: requiredVariable(env, 'SPADE_ENDPOINT', 'the name of the deployment’s endpoint'),
    component: null,
  };
  const client = new SageMakerClient({ maxAttempts: 5 });
  return createUnit({
    unit: 'reap-endpoints',
    input: z.looseObject({}),
    telemetry: cloudTelemetry(),
    run: () =>
      reapEndpoints({
        endpoints: async () => {
          const leased = await leasedEndpoint(endpoint.name, client);
          return leased === null ? [] : [leased];
        },
        release: (experiment) => releaseEndpoint(endpoint, experiment, client),
        now: () => new Date(),
      }),
  });
}

export const handler = lambdaEntry(createHandler);
