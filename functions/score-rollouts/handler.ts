import { IterationInput, type ScoreOutput } from '../../shared/contracts/index.ts';
import { type Host, hostFrom } from '../host.ts';
import { createUnit, type Environment, lambdaEntry, type UnitHandler } from '../middleware.ts';
import { scoreRollouts } from './score-rollouts.ts';

/** Wires phase 5 to a host. */
export function createHandler(env: Environment, host: Host = hostFrom(env)): UnitHandler<ScoreOutput> {
  return createUnit({
    unit: 'score-rollouts',
    input: IterationInput,
    telemetry: host.telemetry,
    run: (input) => scoreRollouts(input, host),
  });
}

export const handler = lambdaEntry(createHandler);
