import type { UnitName } from '../../infra/units.ts';
import { type Integration, IntegrationError, type Json } from './integrations.ts';

/** A unit's handler as the state machine's host calls it. */
export type Unit = (event: unknown, context: unknown) => Promise<unknown>;

interface InvokeRequest {
  readonly FunctionName: string;
  readonly Payload: Json;
}

/** Context of an in-process call: no deadline is known, so none is given. */
const CONTEXT = {};

/**
 * `lambda:invoke` in process: the same handlers, middleware included, and errors as Lambda reports them: the name is the
 * class's wire name, the cause is JSON of `errorType` and `errorMessage`.
 */
export function lambdaDriver(units: Readonly<Partial<Record<UnitName, Unit>>>): Integration {
  return async (request) => {
    const { FunctionName, Payload } = request as unknown as InvokeRequest;
    const name = FunctionName.split(':').at(-1) as UnitName;
    const unit = units[name];
    if (!unit) throw new IntegrationError('Lambda.ResourceNotFoundException', `Function not found: ${FunctionName}`);
    try {
      // Through JSON, as between services: a handler can neither keep nor change the machine's state.
      const result = await unit(JSON.parse(JSON.stringify(Payload)), CONTEXT);
      return { StatusCode: 200, Payload: JSON.parse(JSON.stringify(result ?? null)) };
    } catch (error) {
      const { name: errorType, message: errorMessage } = error as Error;
      throw new IntegrationError(errorType, JSON.stringify({ errorType, errorMessage }), { cause: error });
    }
  };
}
