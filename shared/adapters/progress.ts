import type { Progress, ProgressEvent } from '../ports/index.ts';

/** Progress as JSON lines, `{"event":"progress","phase":…}`, for whoever reads the process's output. Never throws: progress is never worth a run. */
export function createProgress(write: (line: string) => unknown = (line) => process.stdout.write(line)): Progress {
  return callbackProgress((event) => write(`${JSON.stringify({ event: 'progress', ...event })}\n`));
}

/** Progress handed to a function in the same process. What it throws is dropped. */
export function callbackProgress(listener: (event: ProgressEvent) => unknown): Progress {
  return {
    emit(event) {
      try {
        listener(event);
      } catch {
        // A terminal that is gone must not end an iteration.
      }
    },
  };
}
