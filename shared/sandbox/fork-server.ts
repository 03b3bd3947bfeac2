import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { SandboxUnavailable } from './errors.ts';
import { encodeFrame } from './frames.ts';

/** A Python fork server as its supervisor holds it, wherever it runs. */
export interface ForkServer {
  /** One command a line. */
  readonly commands: Writable;
  /** One message a line; ends with the server. */
  readonly messages: Readable;
  /** Rejects when the server cannot be started. */
  readonly failed: Promise<never>;
  /** Ends it at once, and with it every process that it made. */
  kill(): void;
  /** What it last complained of. */
  complaint(): string;
}

/** What is asked of a fork server (`launch.py`), and the seed of its hashes. */
export interface ForkServerRequest {
  readonly hashSeed: number;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** How long a door may take to be there, milliseconds: its container starts beside ours. */
const DOOR_MS = 60_000;
const DOOR_RETRY_MS = 100;
const STDERR_CHARACTERS = 2000;

/**
 * A fork server as a child of this process. Its environment is one variable, so that nothing of ours can be read from its initial stack.
 * @param pythonPath folder of the package `spade_sandbox`
 */
export function spawnForkServer(python: string, pythonPath: string, request: ForkServerRequest): ForkServer {
  const script = join(pythonPath, 'spade_sandbox', 'launch.py');
  const flags = ['-s', '-S', '-B', '-X', 'utf8'];
  const child = spawn(python, [...flags, script, JSON.stringify({ ...request.settings, pythonPath })], {
    env: { PYTHONHASHSEED: String(request.hashSeed) },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    cwd: '/',
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-STDERR_CHARACTERS);
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (cause) => reject(new SandboxUnavailable(`${python}: ${cause.message}`, { cause })));
  });
  failed.catch(() => {});
  return {
    commands: child.stdin,
    messages: child.stdout,
    failed,
    kill: () => void child.kill('SIGKILL'),
    complaint: () => stderr.trim().split('\n').at(-1) ?? '',
  };
}

/**
 * A fork server in another container, through its door (`door.py`): the connection is the server's standard input and output, and closing
 * it ends the server.
 * @throws {SandboxUnavailable} when nobody opens
 */
export async function enterForkServer(door: string, request: ForkServerRequest): Promise<ForkServer> {
  const socket = await knock(door);
  socket.on('error', () => {});
  socket.write(encodeFrame(request));
  // A stream of its own, because a socket that is destroyed never says that it has ended.
  const messages = socket.pipe(new PassThrough());
  socket.once('close', () => messages.end());
  return {
    commands: socket,
    messages,
    failed: new Promise(() => {}),
    kill: () => void socket.destroy(),
    complaint: () => `see the log of the container behind ${door}`,
  };
}

async function knock(door: string): Promise<Socket> {
  for (const limit = performance.now() + DOOR_MS; ; ) {
    const answer = await new Promise<Socket | NodeJS.ErrnoException>((resolve) => {
      const socket = connect(door, () => resolve(socket));
      socket.once('error', resolve);
    });
    if (!(answer instanceof Error)) return answer;
    const absent = answer.code === 'ENOENT' || answer.code === 'ECONNREFUSED';
    if (!absent || performance.now() > limit)
      throw new SandboxUnavailable(`nobody opens at ${door}: ${answer.message}`, { cause: answer });
    await new Promise((resolve) => setTimeout(resolve, DOOR_RETRY_MS));
  }
}
