import { setTimeout as wait } from 'node:timers/promises';
import { PolicyUnavailable } from '../../shared/contracts/index.ts';
import { type Child, type ChildEnd, startChild } from '../drivers/child.ts';

/** Crashes that are made good before the run stops; a server that keeps dying has a reason that a restart does not cure. */
const RESTARTS = 5;
/** Longest start: loading PyTorch from a cold disk on a busy machine takes minutes. */
const START_MS = 300_000;

export interface PolicyServerOptions {
  readonly python: string;
  readonly pythonPath: string;
  readonly env: Readonly<Record<string, string>>;
  readonly threads: number;
}

/** The laptop's policy server, kept alive on one port. */
export interface PolicyServer {
  /** `http://127.0.0.1:port/v1` */
  readonly uri: string;
  /** Names a version that a restarted server must have; the last two are kept. */
  remember(model: string, folder: string): void;
  stop(): Promise<void>;
}

/**
 * Starts the server in deterministic mode and starts it again when it dies, on the same port and with the versions in use.
 * @throws {PolicyUnavailable} when it does not come up
 */
export async function startPolicyServer(options: PolicyServerOptions): Promise<PolicyServer> {
  const versions = new Map<string, string>();
  let stopping = false;
  let current = await launch(options, 0, versions);
  const { port } = current;
  const watch = async () => {
    for (let restarts = 0; restarts < RESTARTS; restarts++) {
      await current.child.ended;
      if (stopping) return;
      await wait(200 * 2 ** restarts);
      if (stopping) return;
      // A failed start shows in the requests, which name the server and why it does not answer.
      current = await launch(options, port, versions).catch(() => current);
    }
  };
  const watching = watch();
  return {
    uri: `http://127.0.0.1:${port}/v1`,
    remember: (model, folder) => {
      versions.delete(model);
      versions.set(model, folder);
      for (const old of [...versions.keys()].slice(0, -2)) versions.delete(old);
    },
    stop: async () => {
      stopping = true;
      await current.child.stop();
      await watching;
    },
  };
}

interface Launched {
  readonly child: Child;
  readonly port: number;
}

async function launch(
  options: PolicyServerOptions,
  port: number,
  versions: ReadonlyMap<string, string>,
): Promise<Launched> {
  const { promise: ready, resolve } = Promise.withResolvers<number>();
  const policies = [...versions].flatMap(([model, folder]) => ['--policy', `${model}=${folder}`]);
  const child = startChild({
    command: options.python,
    args: [
      ...['-m', 'policy_server', '--deterministic', '--host', '127.0.0.1', '--port', String(port)],
      ...['--threads', String(options.threads), '--parent-pid', String(process.pid), ...policies],
    ],
    env: { ...options.env, PYTHONPATH: options.pythonPath },
    onLine: (line) => {
      const event = parseReady(line);
      if (event !== null) resolve(event);
    },
  });
  const timer = new AbortController();
  const answer = await Promise.race([
    ready,
    child.ended,
    wait(START_MS, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const),
  ]);
  timer.abort();
  if (typeof answer === 'number') return { child, port: answer };
  if (answer === 'late') await child.stop();
  throw new PolicyUnavailable(
    `http://127.0.0.1:${port}`,
    answer === 'late' ? 'it did not start in time' : reason(answer),
  );
}

function parseReady(line: string): number | null {
  try {
    const event = JSON.parse(line) as { event?: string; port?: number };
    return event.event === 'ready' && typeof event.port === 'number' ? event.port : null;
  } catch {
    // Not for us: a library printed something.
    return null;
  }
}

function reason({ code, signal, stderr }: ChildEnd): string {
  return `it ended with ${code ?? signal} while starting\n${stderr}`;
}
