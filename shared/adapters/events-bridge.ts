import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  EVENT_ITERATION_COMPLETED,
  EVENT_ITERATION_FAILED,
  EVENT_SOURCE,
  InvalidInput,
  ServiceUnavailable,
} from '../contracts/index.ts';
import type { Events } from '../ports/index.ts';
import { clientSettings } from './aws-client.ts';
import { awsError } from './aws-errors.ts';

/** EventBridge takes 256 KB an entry; a cause may be a container's whole log. */
const CAUSE_CHARACTERS = 8_000;

/** {@link createBusEvents} with the credentials of the environment. */
export function openBusEvents(bus: string): Events {
  return createBusEvents(new EventBridgeClient(clientSettings(10_000)), bus);
}

/** Events on an EventBridge bus. PutEvents answers 200 even when it took nothing, so each entry's own result is looked at. */
export function createBusEvents(client: EventBridgeClient, bus: string): Events {
  return {
    iterationCompleted: (event) => put(client, bus, EVENT_ITERATION_COMPLETED, event),
    iterationFailed: (event) =>
      put(client, bus, EVENT_ITERATION_FAILED, { ...event, cause: event.cause.slice(0, CAUSE_CHARACTERS) }),
  };
}

async function put(client: EventBridgeClient, bus: string, type: string, detail: object): Promise<void> {
  const entry = { EventBusName: bus, Source: EVENT_SOURCE, DetailType: type, Detail: JSON.stringify(detail) };
  const answer = await client.send(new PutEventsCommand({ Entries: [entry] })).catch((error: unknown) => {
    throw awsError(`event bus ${bus}`, error);
  });
  const failed = answer.Entries?.find((e) => e.ErrorCode !== undefined);
  if (failed === undefined) return;
  const reason = `${failed.ErrorCode}: ${failed.ErrorMessage}`;
  if (/Throttl|Internal/.test(failed.ErrorCode ?? '')) throw new ServiceUnavailable(`event bus ${bus}`, reason);
  throw new InvalidInput(`event bus ${bus}`, [reason]);
}
