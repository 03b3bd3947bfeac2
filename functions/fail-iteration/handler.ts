import { FailInput, type FailOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { failIteration } from './fail-iteration.ts';

/** Wires the end of a failed iteration to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<FailOutput> {
  return createUnit({
    unit: 'fail-iteration',
    input: FailInput,
    telemetry: host.telemetry,
    run: (input) => failIteration(input, host),
  });
}

export const handler = lambdaEntry(createHandler);
