import { ExecutionError, StateMachine } from 'aws-local-stepfunctions';
import type { Definition } from './definition.ts';
import { IntegrationError, type Integrations, type Json } from './drivers/integrations.ts';
import { assertStateSize } from './drivers/limits.ts';

/** Time between two askings whether a policy version answers: a local server needs tens of milliseconds, an endpoint minutes. */
const LOCAL_WAIT_MS = 100;

export interface ExecutionOptions {
  readonly integrations: Integrations;
  readonly signal: AbortSignal;
  /** Waits of retries in milliseconds by state name, for tests. @default as the definition says */
  readonly retryIntervals?: Readonly<Record<string, number>>;
}

/** Name and text of the Fail state that ended an execution, or of the error that no state caught. */
export class ExecutionFailed extends Error {
  override readonly name = 'ExecutionFailed';
  readonly error: string;

  constructor(error: string, cause: string) {
    super(cause);
    this.error = error;
  }
}

/**
 * Runs one execution of a state machine to its end, the states as rendered, the service integrations replaced.
 * @returns the output of the last state
 * @throws {ExecutionFailed}; an aborted signal rejects with its reason
 */
export async function execute(definition: Definition, input: Json, options: ExecutionOptions): Promise<Json> {
  const { integrations, signal } = options;
  signal.throwIfAborted();
  const machine = new StateMachine(definition as never, { validationOptions: { noValidate: true } });
  const execution = machine.run(input as never, {
    overrides: {
      taskResourceLocalHandlers: handlersByState(definition, integrations, signal) as never,
      waitTimeOverrides: waitTimes(definition),
      ...(options.retryIntervals && { retryIntervalOverrides: { ...options.retryIntervals } }),
    },
  });
  const abort = () => execution.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return (await execution.result) as Json;
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** The interpreter takes handlers by state name, nested states included; names are unique in a definition that the CDK made. */
function handlersByState(definition: Definition, integrations: Integrations, signal: AbortSignal) {
  const handlers: Record<string, (request: Json) => Promise<Json>> = {};
  for (const [name, state] of statesOf(definition)) {
    if (state.Type !== 'Task') continue;
    const integration = integrations[state.Resource as keyof Integrations];
    if (!integration) throw new Error(`state ${name} uses ${state.Resource}, which the local host has no driver for`);
    handlers[name] = async (request) => {
      assertStateSize(`input of ${name}`, request);
      const result = await integration(request, signal);
      assertStateSize(`output of ${name}`, result);
      return result;
    };
  }
  return handlers;
}

function waitTimes(definition: Definition): Record<string, number> {
  const waits = statesOf(definition).filter(([, state]) => state.Type === 'Wait');
  return Object.fromEntries(waits.map(([name]) => [name, LOCAL_WAIT_MS]));
}

/** All states of a definition with their names, those of maps and parallels included. */
export function statesOf(definition: Definition): [string, Definition['States'][string]][] {
  return Object.entries(definition.States).flatMap(([name, state]) => [
    [name, state] as [string, typeof state],
    ...[state.ItemProcessor, ...(state.Branches ?? [])].flatMap((inner) => (inner ? statesOf(inner) : [])),
  ]);
}

function failureOf(error: unknown): Error {
  const cause = error instanceof ExecutionError ? error.cause : error;
  if (cause instanceof IntegrationError || cause instanceof Error)
    return new ExecutionFailed(cause.name, cause.message);
  return new ExecutionFailed('States.Runtime', String(cause));
}
