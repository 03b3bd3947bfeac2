import { PublishInput, type PublishOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { publishPolicy } from './publish-policy.ts';

/** Wires phase 8 to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<PublishOutput> {
  return createUnit({
    unit: 'publish-policy',
    input: PublishInput,
    telemetry: host.telemetry,
    run: (input) => publishPolicy(input, host),
  });
}

export const handler = lambdaEntry(createHandler);
