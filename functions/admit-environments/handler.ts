import { IterationInput, type ShardsOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { admitEnvironments } from './admit-environments.ts';

/** Wires the admission (phase 3) to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<ShardsOutput> {
  return createUnit({
    unit: 'admit-environments',
    input: IterationInput,
    telemetry: host.telemetry,
    run: (input) => admitEnvironments(input, host),
  });
}

export const handler = lambdaEntry(createHandler);
