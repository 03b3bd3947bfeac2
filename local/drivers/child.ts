import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { projectPath } from '../project.ts';

/** Time that a child has to end by itself after SIGTERM before it is killed, milliseconds. */
const GRACE_MS = 4_000;
/** Lines of stderr that are kept for an error message. */
const STDERR_LINES = 20;

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the child: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Each line of standard output. */
  readonly onLine?: (line: string) => void;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines of standard error. */
  readonly stderr: string;
}

export interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<ChildEnd>;
  /** Writes one line to the child's standard input. */
  send(line: string): void;
  /** SIGTERM, and SIGKILL if that is not heeded in time. */
  stop(): Promise<ChildEnd>;
}

/**
 * Starts a child whose standard input stays open as long as this process lives, so that a child that watches it ends with us even when
 * we are killed with SIGKILL.
 */
export function startChild(options: ChildOptions): Child {
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => options.onLine?.(line));
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (lines.length > STDERR_LINES) lines.shift();
  });
  // A child that ended has closed its input: what its end means is told by `ended`.
  child.stdin.on('error', () => {});
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, stderr: error.message }));
    child.once('close', (code, signal) => resolve({ code, signal, stderr: lines.join('\n') }));
  });
  return { process: child, ended, send: (line) => void child.stdin.write(`${line}\n`), stop: () => stop(child, ended) };
}

async function stop(child: ChildProcess, ended: Promise<ChildEnd>): Promise<ChildEnd> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Variables of this process that a child needs to run at all; credentials and the rest stay here. */
export function baseEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'SYSTEMROOT', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'];
  const kept = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as [string, string]]));
  return Object.fromEntries(kept);
}

/** Arguments that make a Node child end when this process is gone, however it went. */
export const DIE_WITH_PARENT = ['--import', projectPath('local/drivers/die-with-parent.mjs')] as const;
