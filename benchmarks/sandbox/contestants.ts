import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Sandbox } from '../../shared/sandbox/index.ts';
import type { Measured } from './measure.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The program that is played, as a path. */
export const PROGRAM = here('honest.py');
const PYTHON = process.env.SPADE_PYTHON ?? 'python3';
const ACTION = '\\boxed{0}';

/** Something that can start an episode and step it. */
export interface Episode {
  step(): Promise<void>;
  close(): Promise<void>;
}

/** One way of playing programs. `start` resolves when the first observation is there. */
export interface Contestant {
  readonly name: string;
  /** Starts are measured a few times only. */
  readonly slow?: true;
  start(seed: number): Promise<Episode>;
}

/** Ours: fork server, filter, supervisor. */
export function ours(sandbox: Sandbox, source: string): Contestant {
  return {
    name: 'spade sandbox',
    async start(seed) {
      const environment = await sandbox.open(source, { seed });
      const loaded = await environment.load();
      const first = loaded.ok ? await environment.reset(seed) : loaded;
      if (!first.ok) throw new Error(`${first.reason}: ${first.detail}`);
      return {
        step: async () => {
          const reply = await environment.step(ACTION);
          if (!reply.ok) throw new Error(`${reply.reason}: ${reply.detail}`);
        },
        close: async () => environment.close(),
      };
    },
  };
}

function lines(child: ChildProcess): () => Promise<string> {
  if (child.stdout === null) throw new Error('no standard output');
  const iterator = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => {
    const { value, done } = await iterator.next();
    if (done) throw new Error('the process ended');
    return value as string;
  };
}

function process_(name: string, command: string, args: readonly string[]): Contestant {
  return {
    name,
    async start(seed) {
      const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
      const next = lines(child);
      const ask = async (line: string): Promise<void> => {
        child.stdin?.write(`${line}\n`);
        await next();
      };
      await ask(`reset ${seed}`);
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      return {
        step: () => ask(ACTION),
        close: () => {
          child.kill('SIGKILL');
          return ended;
        },
      };
    },
  };
}

/** A fresh interpreter for each episode, without walls. */
export function plainProcess(): Contestant {
  return process_('python -I -S, a process per episode', interpreter(), [
    '-I',
    '-S',
    here('plain_process.py'),
    PROGRAM,
  ]);
}

/** Past the shims of version managers, which cost more than the interpreter's start. */
function interpreter(): string {
  return execFileSync(PYTHON, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
}

/** The same under bubblewrap, or why not. */
export function bubblewrap(): Contestant | string {
  const { error, status, stderr } = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true'], {
    encoding: 'utf8',
  });
  if (error) return `bubblewrap is left out: ${error.message}`;
  if (status !== 0) return `bubblewrap is left out: it is refused here (${stderr.trim()})`;
  const walls = ['--ro-bind', '/', '/', '--unshare-all', '--die-with-parent'];
  const python = ['-I', '-S', here('plain_process.py'), PROGRAM];
  return process_('bubblewrap, a process per episode', 'bwrap', [...walls, interpreter(), ...python]);
}

/** In-process execution without isolation. */
export function inProcess(starts: number, steps: number): Measured {
  const output = execFileSync(PYTHON, [here('in_process.py'), PROGRAM, String(starts), String(steps)], {
    encoding: 'utf8',
  });
  return JSON.parse(output) as Measured;
}
