import { type Child, startChild } from '../drivers/child.ts';

export interface TrainerOptions {
  readonly python: string;
  readonly pythonPath: string;
  readonly env: Readonly<Record<string, string>>;
  /** Progress lines of the running job. */
  readonly onLine: (line: string) => void;
}

/** The laptop's training jobs, one at a time. */
export interface Trainer {
  /** Runs the trainer on a job's folder. 0 means completed; an aborted signal ends the job. */
  train(root: string, signal: AbortSignal): Promise<{ readonly code: number }>;
  stop(): Promise<void>;
}

/**
 * Starts a trainer that has everything imported and forks a process for each job, because importing PyTorch and transformers takes
 * longer than a small job. If it dies, the next job starts another one.
 */
export function startTrainer(options: TrainerOptions): Trainer {
  let warm = launch(options);
  return {
    train: async (root, signal) => {
      if (warm.isGone()) warm = launch(options);
      const abort = () => void warm.child.stop();
      signal.addEventListener('abort', abort, { once: true });
      try {
        return { code: await warm.run(root) };
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    stop: async () => void (await warm.child.stop()),
  };
}

interface Warm {
  readonly child: Child;
  /** Exit code of the job; the trainer's own when it died with it. */
  run(root: string): Promise<number>;
  isGone(): boolean;
}

function launch(options: TrainerOptions): Warm {
  let settle: ((code: number) => void) | undefined;
  const child = startChild({
    command: options.python,
    args: ['-m', 'grpo.warm'],
    env: { ...options.env, PYTHONPATH: options.pythonPath },
    onLine: (line) => {
      const code = exitCode(line);
      if (code === null) options.onLine(line);
      else settle?.(code);
    },
  });
  let gone = false;
  void child.ended.then(() => {
    gone = true;
  });
  return {
    child,
    run: (root) => {
      const ended = new Promise<number>((resolve) => {
        settle = resolve;
      });
      child.send(root);
      return Promise.race([ended, child.ended.then(({ code }) => code || 137)]);
    },
    isGone: () => gone,
  };
}

function exitCode(line: string): number | null {
  try {
    const event = JSON.parse(line) as { event?: string; code?: number };
    return event.event === 'exit' && typeof event.code === 'number' ? event.code : null;
  } catch {
    // Not a message of ours.
    return null;
  }
}
