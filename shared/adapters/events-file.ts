import {
  EVENT_ITERATION_COMPLETED,
  EVENT_ITERATION_FAILED,
  type IterationCompleted,
  pad4,
} from '../contracts/index.ts';
import type { Events } from '../ports/index.ts';
import { createMailbox, type Letter } from './mailbox-file.ts';
import { createFileStore } from './store-file.ts';

/** What an iteration's failure says. */
export type IterationFailed = Parameters<Events['iterationFailed']>[0];

/** An event by its type, as EventBridge would carry it. */
export type FileEvent =
  | { readonly type: typeof EVENT_ITERATION_COMPLETED; readonly detail: IterationCompleted }
  | { readonly type: typeof EVENT_ITERATION_FAILED; readonly detail: IterationFailed };

/** Events as the laptop's host sees them: it acts on each and then acknowledges it. */
export interface FileEvents extends Events {
  pending(): Promise<Letter<FileEvent>[]>;
  acknowledge(id: string): Promise<void>;
}

/**
 * Events in a folder. A completed iteration is one event however often its last unit runs; failures of one iteration are told apart by
 * their number.
 */
export function createFileEvents(folder: string): FileEvents {
  const mailbox = createMailbox<FileEvent>(createFileStore(folder));
  return {
    async iterationCompleted(detail) {
      const id = `${detail.experiment}-i${pad4(detail.iteration)}-completed`;
      await mailbox.send(id, { type: EVENT_ITERATION_COMPLETED, detail });
    },
    async iterationFailed(detail) {
      const id = `${detail.experiment}-i${pad4(detail.iteration)}-failed`;
      for (let n = 1; !(await mailbox.send(`${id}-${n}`, { type: EVENT_ITERATION_FAILED, detail })); n += 1);
    },
    pending: () => mailbox.pending(),
    acknowledge: (id) => mailbox.acknowledge(id),
  };
}
