import { IterationInput, type PlanOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { planIteration } from './plan-iteration.ts';

/** Wires phase 1 to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<PlanOutput> {
  return createUnit({
    unit: 'plan-iteration',
    input: IterationInput,
    telemetry: host.telemetry,
    run: (input) => planIteration(input, host),
  });
}

export const handler = lambdaEntry(createHandler);
