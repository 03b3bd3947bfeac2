import { DesignInput, type ValidateOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { validateDesign } from './validate-environment.ts';

/** Wires the judge of designs (phase 3) to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<ValidateOutput> {
  return createUnit({
    unit: 'validate-environment',
    input: DesignInput,
    telemetry: host.telemetry,
    run: (input) => validateDesign(input, host),
  });
}

export const handler = lambdaEntry(createHandler);
