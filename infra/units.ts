/**
 * The Lambda units of the project: one row per folder of `functions/`. Both hosts read this table, so a unit that is not
 * here is neither deployed nor run on a laptop.
 */
export interface UnitSpec {
  /** Longest run, seconds; the state that calls it waits {@link STATE_MARGIN_SECONDS} longer, so that Lambda reports first. */
  readonly timeoutSeconds: number;
  /** Memory, MB; CPU comes in proportion (1,769 MB is one vCPU). */
  readonly memoryMb: number;
  /** One line for the console. */
  readonly description: string;
}

/** Time for Lambda to report its own timeout before the state machine does. */
export const STATE_MARGIN_SECONDS = 10;

export const UNITS = {
  'start-iteration': {
    timeoutSeconds: 30,
    memoryMb: 256,
    description: 'Queue message to execution, named by request id',
  },
  'plan-iteration': {
    timeoutSeconds: 60,
    memoryMb: 1024,
    description: 'Phase 1: design requests, budget, stop conditions',
  },
  'serve-policy': {
    timeoutSeconds: 60,
    memoryMb: 512,
    description: 'Phases 2 and 7: make a policy version answer',
  },
  // One long completion may take several invocations of 60 s each and their retries: the longest that Lambda allows.
  'design-environment': {
    timeoutSeconds: 900,
    memoryMb: 512,
    description: 'Phase 3: one design or its one repair',
  },
  'validate-environment': {
    timeoutSeconds: 120,
    memoryMb: 512,
    description: 'Phase 3: verdict on one design',
  },
  'admit-environments': {
    timeoutSeconds: 120,
    memoryMb: 1769,
    description: 'Phase 3: duplicates refused, shards planned',
  },
  // Reads every episode of the iteration and writes the training batch.
  'score-rollouts': { timeoutSeconds: 600, memoryMb: 3538, description: 'Phase 5: regret, rewards, training batch' },
  'plan-evaluation': { timeoutSeconds: 60, memoryMb: 512, description: 'Phase 7: benchmark shards, when due' },
  // Reads the weights once to hash them: 16 GB at the 75 MB/s of a function's network take four minutes.
  'publish-policy': {
    timeoutSeconds: 900,
    memoryMb: 1769,
    description: 'Phase 8: promote the candidate or keep',
  },
  'close-iteration': {
    timeoutSeconds: 60,
    memoryMb: 512,
    description: 'Phase 9: record, spend, next request',
  },
  'fail-iteration': {
    timeoutSeconds: 60,
    memoryMb: 512,
    description: 'Any failure: record, release, notify',
  },
  'reap-endpoints': {
    timeoutSeconds: 60,
    memoryMb: 256,
    description: 'Removes endpoints whose lease is over',
  },
} as const satisfies Record<string, UnitSpec>;

/** Name of a Lambda unit: its folder in `functions/`. */
export type UnitName = keyof typeof UNITS;

/** Units that the state machine calls: all but the one that starts it and the one on a schedule. */
export type IterationUnit = Exclude<UnitName, 'start-iteration' | 'reap-endpoints'>;

const OUTSIDE: readonly string[] = ['start-iteration', 'reap-endpoints'];

export const UNIT_NAMES = Object.keys(UNITS) as UnitName[];
export const ITERATION_UNITS = UNIT_NAMES.filter((name): name is IterationUnit => !OUTSIDE.includes(name));
