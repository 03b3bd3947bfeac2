import { createHandler as admitEnvironments } from '../functions/admit-environments/handler.ts';
import { createHandler as closeIteration } from '../functions/close-iteration/handler.ts';
import { createHandler as designEnvironment } from '../functions/design-environment/handler.ts';
import { createHandler as failIteration } from '../functions/fail-iteration/handler.ts';
import type { Host } from '../functions/host.ts';
import { createHandler as planEvaluation } from '../functions/plan-evaluation/handler.ts';
import { createHandler as planIteration } from '../functions/plan-iteration/handler.ts';
import { createHandler as publishPolicy } from '../functions/publish-policy/handler.ts';
import { createHandler as scoreRollouts } from '../functions/score-rollouts/handler.ts';
import { createHandler as servePolicy } from '../functions/serve-policy/handler.ts';
import { createHandler as validateEnvironment } from '../functions/validate-environment/handler.ts';
import type { IterationUnit } from '../infra/units.ts';
import type { Unit } from './drivers/lambda.ts';

const CREATORS = {
  'plan-iteration': planIteration,
  'serve-policy': servePolicy,
  'design-environment': designEnvironment,
  'validate-environment': validateEnvironment,
  'admit-environments': admitEnvironments,
  'score-rollouts': scoreRollouts,
  'plan-evaluation': planEvaluation,
  'publish-policy': publishPolicy,
  'close-iteration': closeIteration,
  'fail-iteration': failIteration,
} as const satisfies Record<IterationUnit, unknown>;

/** Every unit of the state machine with its deployed handler, middleware included, on one shared host. */
export function unitsOn(host: Host): Readonly<Record<IterationUnit, Unit>> {
  const entries = Object.entries(CREATORS).map(([unit, create]) => [unit, create({}, host)]);
  return Object.fromEntries(entries);
}
