import type { Queue } from '../ports/index.ts';
import { once } from './once.ts';
import { createFileQueue } from './queue-file.ts';
import { locationOf } from './uri.ts';

/**
 * The iteration queue at a URI: `file:///dir`, or `sqs://` followed by the queue's URL without its scheme.
 *
 * @throws {InvalidInput} for any other URI
 */
export function openQueue(uri: string): Queue {
  const { scheme, location } = locationOf(uri, 'queue', ['file', 'sqs']);
  if (scheme === 'file') return createFileQueue(location);
  const queue = once(async () => {
    const { openSqsQueue } = await import('./queue-sqs.ts');
    return openSqsQueue(`https://${location}`);
  });
  return { send: async (request) => (await queue()).send(request) };
}
