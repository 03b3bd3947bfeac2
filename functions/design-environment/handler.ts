import { DesignInput, type DesignOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { designEnvironment } from './design-environment.ts';

/** Wires the designer (phase 3) to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<DesignOutput> {
  return createUnit({
    unit: 'design-environment',
    input: DesignInput,
    telemetry: host.telemetry,
    run: (input, signal) => designEnvironment(input, host, signal),
  });
}

export const handler = lambdaEntry(createHandler);
