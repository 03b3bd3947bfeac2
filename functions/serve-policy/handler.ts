import { ServeInput, type ServeOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { servePolicy } from './serve-policy.ts';

/** Wires phase 2 to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<ServeOutput> {
  return createUnit({
    unit: 'serve-policy',
    input: ServeInput,
    telemetry: host.telemetry,
    run: (input) => servePolicy(input, host),
  });
}

export const handler = lambdaEntry(createHandler);
