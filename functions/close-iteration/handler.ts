import { CloseInput, type CloseOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { closeIteration } from './close-iteration.ts';

/** Wires phase 9 to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<CloseOutput> {
  return createUnit({
    unit: 'close-iteration',
    input: CloseInput,
    telemetry: host.telemetry,
    run: (input) => closeIteration(input, host),
  });
}

export const handler = lambdaEntry(createHandler);
