import type { Events } from '../ports/index.ts';
import { createFileEvents } from './events-file.ts';
import { once } from './once.ts';
import { locationOf } from './uri.ts';

/**
 * The event bus at a URI: `file:///dir` or `events://bus`.
 *
 * @throws {InvalidInput} for any other URI
 */
export function openEvents(uri: string): Events {
  const { scheme, location } = locationOf(uri, 'events', ['file', 'events']);
  if (scheme === 'file') return createFileEvents(location);
  const events = once(async () => {
    const { openBusEvents } = await import('./events-bridge.ts');
    return openBusEvents(location);
  });
  return {
    iterationCompleted: async (event) => (await events()).iterationCompleted(event),
    iterationFailed: async (event) => (await events()).iterationFailed(event),
  };
}
