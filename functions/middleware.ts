import middy from '@middy/core';
import type * as z from 'zod';
import { InvalidInput, SpadeError } from '../shared/contracts/index.ts';
import { describeIssues } from './objects.ts';
import type { Telemetry } from './telemetry.ts';

/** A unit as both hosts call it: the event of the state machine in, pointers and counts out. */
export type UnitHandler<O> = (event: unknown, context?: unknown) => Promise<O>;

/** What a unit is made of. */
export interface UnitParts<S extends z.ZodType, O> {
  /** Folder name; also the name in logs, metrics and the ledger. */
  readonly unit: string;
  /** Closed schema of the event. */
  readonly input: S;
  readonly telemetry: Telemetry;
  /** The use case; `signal` aborts shortly before the host's deadline. */
  readonly run: (input: z.infer<S>, signal: AbortSignal) => Promise<O>;
}

/**
 * Wraps a use case for a host: parses the event by its closed schema, logs one line per end with the ids of the event, counts
 * and times, and lets typed errors through under their own names, which the state machine's Retry and Catch lists hold.
 */
export function createUnit<S extends z.ZodType, O>(parts: UnitParts<S, O>): UnitHandler<O> {
  const { unit, input, telemetry, run } = parts;
  const handler = middy<unknown, O>({ timeoutEarlyInMillis: ABORT_BEFORE_DEADLINE_MS })
    .use(observe(unit, telemetry))
    .use(parseEvent(unit, input))
    .handler(async (event, _context, { signal }) => run(event as z.infer<S>, signal));
  return async (event, context = {}) => (await handler(event, context as never)) as O;
}

/** Turns `createHandler` into what Lambda loads: the environment is read at the first call, not at import. */
export function lambdaEntry<O>(createHandler: (env: Environment) => UnitHandler<O>): UnitHandler<O> {
  let handler: UnitHandler<O> | undefined;
  return (event, context) => {
    handler ??= createHandler(process.env);
    return handler(event, context);
  };
}

/** Environment variables as a unit gets them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Time that is left to write what is finished and to say why the unit stops. */
const ABORT_BEFORE_DEADLINE_MS = 1500;

function parseEvent(unit: string, schema: z.ZodType): middy.MiddlewareObj {
  return {
    before: (request) => {
      const parsed = schema.safeParse(request.event);
      if (!parsed.success) throw new InvalidInput(`input of ${unit}`, describeIssues(parsed.error));
      request.event = parsed.data;
    },
  };
}

/** Wall clock and log lines; nothing here reaches an artefact. */
function observe(unit: string, telemetry: Telemetry): middy.MiddlewareObj {
  const started = Symbol('started');
  const finish = (request: middy.Request, outcome: 'completed' | 'failed', fields: Record<string, unknown>) => {
    const begun = (request.internal as Record<symbol, number>)[started] ?? performance.now();
    const milliseconds = Math.round(performance.now() - begun);
    telemetry.count(unit, outcome, milliseconds);
    const line = { unit, ...idsOf(request.event), milliseconds, ...fields };
    if (outcome === 'completed') telemetry.log.info(`${unit} completed`, line);
    else telemetry.log.error(`${unit} failed`, line);
  };
  return {
    before: (request) => {
      (request.internal as Record<symbol, number>)[started] = performance.now();
    },
    after: (request) => finish(request, 'completed', {}),
    onError: (request) => finish(request, 'failed', describeError(request.error)),
  };
}

const ID_FIELDS = ['experiment', 'iteration', 'attempt', 'index', 'turn', 'policyVersion'] as const;

/** The ids of an event; model-written text never gets into a log line. */
function idsOf(event: unknown): Record<string, unknown> {
  if (typeof event !== 'object' || event === null) return {};
  const record = event as Record<string, unknown>;
  return Object.fromEntries(
    ID_FIELDS.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]),
  );
}

function describeError(error: unknown): Record<string, unknown> {
  if (error instanceof SpadeError) {
    return { error: error.name, boundary: error.boundary, retryable: error.retryable, message: error.message };
  }
  if (error instanceof Error) return { error: error.name, message: error.message, stack: error.stack };
  return { error: String(error) };
}
