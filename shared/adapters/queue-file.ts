import { IterationRequest, requestId } from '../contracts/index.ts';
import type { Queue } from '../ports/index.ts';
import { createMailbox } from './mailbox-file.ts';
import { createFileStore } from './store-file.ts';

/** The iteration queue as the laptop's host sees it: units send, the host receives and acknowledges. */
export interface FileQueue extends Queue {
  /** The oldest open request, or null. It stays open until acknowledged. */
  receive(): Promise<IterationRequest | null>;
  acknowledge(request: IterationRequest): Promise<void>;
}

/** The queue in a folder: first in, first out, one request an id for ever (the cloud's execution names do the same for 90 days). */
export function createFileQueue(folder: string): FileQueue {
  const mailbox = createMailbox<unknown>(createFileStore(folder));
  return {
    async send(request) {
      await mailbox.send(requestId(request), request);
    },
    async receive() {
      const oldest = (await mailbox.pending())[0];
      return oldest === undefined ? null : IterationRequest.parse(oldest.body);
    },
    acknowledge: (request) => mailbox.acknowledge(requestId(request)),
  };
}
