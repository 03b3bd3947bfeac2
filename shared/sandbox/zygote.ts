import { randomBytes } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Child, type Exit } from './child.ts';
import { SandboxUnavailable } from './errors.ts';
import { enterForkServer, type ForkServer, spawnForkServer } from './fork-server.ts';
import { makeSocketFolder, socketIn } from './socket-folder.ts';
import { type Scheduling, schedulingFrom, schedulingOf, UNANSWERED } from './starvation.ts';

/** How a fork server is started. */
export interface ZygoteSettings {
  readonly python: string;
  readonly pythonPath: string;
  /** Socket of a door behind which the server runs, instead of `python` here. @default none */
  readonly door?: string | undefined;
  /** PYTHONHASHSEED: fixes the order of sets of texts. */
  readonly hashSeed: number;
  readonly memoryMb: number;
  readonly cpuSeconds: number;
  /** Whether to install the system-call filter. */
  readonly filter: boolean;
  readonly extraModules: readonly string[];
  /** Largest reply in bytes. */
  readonly frameCap: number;
}

/** What a fork server says of itself when it is ready. */
export interface ZygoteReport {
  readonly layers: readonly string[];
  readonly missing: readonly string[];
  readonly interpreter: string;
  readonly pid: number;
}

type Message =
  | { ready: ZygoteReport }
  | { exited: number; status: number; cpu: number; killed: boolean }
  | { failed: number; detail: string }
  | { looked: number; schedstat: string; stat: string };

interface Expected {
  readonly exit: PromiseWithResolvers<Exit>;
  readonly connected: PromiseWithResolvers<Child>;
}

const KEY_BYTES = 32;
const HELLO_BYTES = KEY_BYTES + 8;
const START_MS = 60_000;
/** A fork server that owes an answer and says nothing at all for this long is wedged and replaced. */
const WEDGED_MS = 20_000;
/** A fork server that does not say within this time what the scheduler says has no core itself. */
const LOOK_MS = 1000;

/**
 * A Python fork server and the processes it made. Each process has a connection of its own, so one can neither see nor
 * disturb another's; the server's standard streams carry only commands and obituaries.
 */
export class Zygote {
  public readonly report: ZygoteReport;
  readonly #forkServer: ForkServer;
  readonly #server: Server;
  readonly #folder: string;
  readonly #settings: ZygoteSettings;
  readonly #key: string;
  readonly #expected = new Map<number, Expected>();
  readonly #looks = new Map<number, (scheduling: Scheduling) => void>();
  readonly #ended: Promise<void>;
  #commands: string[] = [];
  #nextId = 1;
  #alive = true;
  #lastHeard = performance.now();

  private constructor(parts: {
    report: ZygoteReport;
    forkServer: ForkServer;
    server: Server;
    folder: string;
    settings: ZygoteSettings;
    key: string;
    messages: AsyncIterable<Message>;
  }) {
    this.report = parts.report;
    this.#forkServer = parts.forkServer;
    this.#server = parts.server;
    this.#folder = parts.folder;
    this.#settings = parts.settings;
    this.#key = parts.key;
    parts.server.on('connection', (socket) => this.#greet(socket));
    parts.forkServer.commands.on('error', () => {});
    this.#ended = this.#read(parts.messages);
  }

  /**
   * Starts a server and waits until it has imported everything.
   * @throws {SandboxUnavailable} when the interpreter cannot be started or ends before it is ready
   */
  public static async start(settings: ZygoteSettings): Promise<Zygote> {
    const folder = await makeSocketFolder(settings.door ? dirname(settings.door) : tmpdir());
    const key = randomBytes(KEY_BYTES / 2).toString('hex');
    const socketPath = socketIn(folder);
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen({ path: socketPath, backlog: 511 }, resolve));
    server.unref();
    // Behind a door runs another user; it still has to know the key.
    if (settings.door) await Promise.all([chmod(folder, 0o711), chmod(socketPath, 0o666)]);
    let forkServer: ForkServer | undefined;
    try {
      forkServer = await launch(settings, socketPath, key);
      const messages = messagesOf(forkServer);
      const report = await firstReport(forkServer, messages);
      return new Zygote({ report, forkServer, server, folder, settings, key, messages });
    } catch (error) {
      forkServer?.kill();
      server.close();
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Whether it can still fork. */
  public get alive(): boolean {
    return this.#alive;
  }

  /**
   * A fresh confined process.
   * @throws {SandboxUnavailable} when the server is gone or does not answer
   */
  public async fork(): Promise<Child> {
    if (!this.#alive) throw new SandboxUnavailable('the fork server has ended');
    const id = this.#nextId;
    this.#nextId += 1;
    const expected: Expected = { exit: Promise.withResolvers<Exit>(), connected: Promise.withResolvers<Child>() };
    this.#expected.set(id, expected);
    this.#command({ fork: id });
    const watched = this.#watch();
    return expected.connected.promise.finally(watched);
  }

  /** Ends the server and everything it forked, and removes its socket. */
  public async stop(): Promise<void> {
    this.#destroy();
    await this.#ended;
  }

  #kill(id: number): void {
    const expected = this.#expected.get(id);
    if (expected === undefined || !this.#alive) return;
    this.#command({ kill: id });
    void expected.exit.promise.then(this.#watch());
  }

  /** Replaces the server when it stays silent while an answer is owed; the returned function ends the watch. */
  #watch(): () => void {
    const timer = setInterval(() => {
      if (performance.now() - this.#lastHeard > WEDGED_MS) this.#destroy();
    }, WEDGED_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Commands of one turn of the event loop travel in one write. */
  #command(command: object): void {
    if (this.#commands.length === 0) setImmediate(() => this.#flush());
    this.#commands.push(`${JSON.stringify(command)}\n`);
  }

  #flush(): void {
    const text = this.#commands.join('');
    this.#commands = [];
    if (this.#alive) this.#forkServer.commands.write(text);
  }

  #destroy(): void {
    this.#alive = false;
    this.#forkServer.kill();
  }

  #greet(socket: Socket): void {
    socket.on('error', () => {});
    const hello = (): void => {
      const bytes = socket.read(HELLO_BYTES) as Buffer | null;
      if (bytes === null) return;
      socket.off('readable', hello);
      this.#lastHeard = performance.now();
      const id = bytes.readUInt32BE(KEY_BYTES);
      const expected = this.#expected.get(id);
      if (bytes.toString('latin1', 0, KEY_BYTES) !== this.#key || expected === undefined) {
        socket.destroy();
        return;
      }
      expected.connected.resolve(this.#adopt(id, bytes.readUInt32BE(KEY_BYTES + 4), socket, expected));
    };
    socket.on('readable', hello);
  }

  #adopt(id: number, pid: number, socket: Socket, expected: Expected): Child {
    return new Child(id, socket, {
      frameCap: this.#settings.frameCap,
      cpuSeconds: this.#settings.cpuSeconds,
      exited: expected.exit.promise,
      kill: () => this.#kill(id),
      // Behind a door process ids are others: the server looks for us.
      look: () => (this.#settings.door ? this.#look(id) : schedulingOf(pid)),
    });
  }

  /** What the scheduler says of a process in another container; a process is asked about by one deadline at a time. */
  async #look(id: number): Promise<Scheduling> {
    if (!this.#alive || !this.#expected.has(id)) return schedulingFrom('', '');
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(UNANSWERED), LOOK_MS);
      this.#looks.set(id, (scheduling) => {
        clearTimeout(timer);
        resolve(scheduling);
      });
      this.#command({ look: id });
    });
  }

  #seen({ looked, schedstat, stat }: { looked: number; schedstat: string; stat: string }): void {
    this.#looks.get(looked)?.(schedulingFrom(schedstat, stat));
    this.#looks.delete(looked);
  }

  async #read(messages: AsyncIterable<Message>): Promise<void> {
    for await (const message of messages) {
      this.#lastHeard = performance.now();
      if ('exited' in message) this.#bury(message.exited, { kind: 'exited', ...message });
      else if ('failed' in message) this.#bury(message.failed, { kind: 'lost' });
      else if ('looked' in message) this.#seen(message);
    }
    this.#alive = false;
    for (const id of [...this.#expected.keys()]) this.#bury(id, { kind: 'lost' });
    this.#server.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #bury(id: number, exit: Exit): void {
    const expected = this.#expected.get(id);
    if (expected === undefined) return;
    this.#expected.delete(id);
    expected.exit.resolve(exit);
    const detail = exit.kind === 'lost' ? 'the fork server has ended' : `a fresh process ended with ${exit.status}`;
    expected.connected.promise.catch(() => {});
    expected.connected.reject(new SandboxUnavailable(detail));
  }
}

async function launch(settings: ZygoteSettings, socketPath: string, key: string): Promise<ForkServer> {
  const request = {
    hashSeed: settings.hashSeed,
    settings: {
      socketPath,
      key,
      memoryBytes: settings.memoryMb * 1024 * 1024,
      cpuSeconds: settings.cpuSeconds,
      filter: settings.filter,
      extraModules: settings.extraModules,
    },
  };
  if (settings.door) return enterForkServer(settings.door, request);
  return spawnForkServer(settings.python, settings.pythonPath, request);
}

async function* messagesOf({ messages }: ForkServer): AsyncGenerator<Message> {
  for await (const line of createInterface({ input: messages })) yield JSON.parse(line) as Message;
}

async function firstReport(forkServer: ForkServer, messages: AsyncGenerator<Message>): Promise<ZygoteReport> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new SandboxUnavailable('the fork server did not start in time')), START_MS).unref();
  });
  const first = await Promise.race([messages.next(), forkServer.failed, late]);
  if (first.done || !('ready' in first.value)) {
    throw new SandboxUnavailable(`the fork server ended before it was ready: ${forkServer.complaint()}`);
  }
  return first.value.ready;
}
