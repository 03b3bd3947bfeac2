import { PublishInput, type ShardsOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { planEvaluation } from './plan-evaluation.ts';

/** Wires phase 7 to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<ShardsOutput> {
  return createUnit({
    unit: 'plan-evaluation',
    input: PublishInput,
    telemetry: host.telemetry,
    run: (input) => planEvaluation(input, host),
  });
}

export const handler = lambdaEntry(createHandler);
