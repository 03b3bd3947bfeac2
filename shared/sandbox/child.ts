import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { ReasonCode } from '../contracts/reason-codes.ts';
import { ProtocolFault } from './errors.ts';
import { decodeEnvelope, type Envelope, encodeFrame, FrameParser } from './frames.ts';
import { fault, value } from './reply.ts';
import { type Scheduling, wasStarved } from './starvation.ts';
import type { Reply } from './types.ts';
import { faultOf } from './values.ts';

/** How a process ended: exit code, or minus the signal number; CPU time in seconds; whether we killed it while it ran. */
export interface Exited {
  readonly kind: 'exited';
  readonly status: number;
  readonly cpu: number;
  readonly killed: boolean;
}

/** See {@link Exited}; `lost` with its fork server. */
export type Exit = Exited | { readonly kind: 'lost' };

/** Raw bytes of a reply's value, and how long the process took for it in milliseconds. */
export interface Answer {
  readonly reply: Reply<unknown>;
  readonly ms: number;
}

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly since: number;
  timer: NodeJS.Timeout;
}

/** Exit code of a process that could not build its walls and therefore ran nothing. */
const EXIT_UNCONFINED = 97;
const SIGKILL = 9;
const SIGSYS = 31;
/** A process that closed its connection has this long to end by itself before it is killed as hiding. */
const FAREWELL_MS = 50;

/** Name of the diagnostics channel that hears each time a deadline is put off because a program had no core. */
export const DEADLINE_PUT_OFF = 'spade:sandbox:deadline-put-off';
const deadlinePutOff = channel(DEADLINE_PUT_OFF);

/** A deadline is put off at most so often when the machine, not the program, is slow. */
const MAX_EXTENSIONS = 8;

/**
 * One confined process: at most one request at a time, a deadline for each, and a verdict for every way it can end.
 * After the first fault nothing else is ever read from it.
 */
export class Child {
  public readonly id: number;
  public readonly exited: Promise<Exit>;
  readonly #socket: Socket;
  readonly #parser: FrameParser;
  readonly #killProcess: () => void;
  readonly #cpuSeconds: number;
  readonly #look: () => Promise<Scheduling>;
  #scheduling: Scheduling = { ranMs: 0, queuedMs: 0, runnable: false, dead: false };
  #pending: Pending | undefined;
  #next = 0;
  #dead: Extract<Reply<never>, { ok: false }> | undefined;

  /** @param options.look asks the scheduler about the process */
  public constructor(
    id: number,
    socket: Socket,
    options: {
      frameCap: number;
      cpuSeconds: number;
      exited: Promise<Exit>;
      kill: () => void;
      look: () => Promise<Scheduling>;
    },
  ) {
    this.id = id;
    this.#look = options.look;
    this.exited = options.exited;
    this.#socket = socket;
    this.#parser = new FrameParser(options.frameCap);
    this.#killProcess = options.kill;
    this.#cpuSeconds = options.cpuSeconds;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', () => {});
    socket.on('close', () => void this.#connectionEnded());
    void options.exited.then(
      (exit) => exit.kind === 'lost' && this.#fail(fault('infra.zygote_lost', 'the fork server ended')),
    );
  }

  /** Whether it can still be asked something. */
  public get usable(): boolean {
    return this.#dead === undefined && !this.#socket.destroyed;
  }

  /** Asks and waits; never rejects. `late` is the reason when `deadlineMs` passes, and the process is then killed. */
  public request(message: unknown, deadlineMs: number, late: ReasonCode): Promise<Answer> {
    if (this.#dead !== undefined) return Promise.resolve({ reply: this.#dead, ms: 0 });
    if (this.#pending !== undefined) throw new Error('a sandboxed process is asked one thing at a time');
    return new Promise((resolve) => {
      const timer = this.#deadline(late, deadlineMs);
      this.#pending = { resolve, since: performance.now(), timer };
      this.#socket.write(encodeFrame(message));
    });
  }

  /** Milliseconds that the process has queued for a core in its whole life, which nobody may charge it with. */
  public async queuedMs(): Promise<number> {
    return (await this.#look()).queuedMs;
  }

  /** Ends the process. Idempotent. */
  public kill(): void {
    this.#fail(fault('protocol.closed', 'closed by the supervisor'));
  }

  /**
   * Before a deadline counts, a reply that waits behind our own busy event loop is read, and a program that waited for a
   * core rather than computed gets the time again.
   */
  async #deadlinePassed(late: ReasonCode, deadlineMs: number, due: number, extensions: number): Promise<void> {
    const pending = this.#pending;
    const lateBy = performance.now() - due;
    const scheduling = await this.#look();
    await new Promise((resolve) => setImmediate(resolve));
    if (pending === undefined || this.#pending !== pending) return;
    const starved = wasStarved(this.#scheduling, scheduling, deadlineMs, lateBy);
    this.#scheduling = scheduling;
    if (starved && extensions < MAX_EXTENSIONS) {
      deadlinePutOff.publish({ process: this.id });
      pending.timer = this.#deadline(late, deadlineMs, extensions + 1);
    } else this.#fail(fault(late, `no reply within ${deadlineMs} ms`));
  }

  #deadline(late: ReasonCode, deadlineMs: number, extensions = 0): NodeJS.Timeout {
    const due = performance.now() + deadlineMs;
    return setTimeout(() => void this.#deadlinePassed(late, deadlineMs, due, extensions), deadlineMs);
  }

  #receive(chunk: Buffer): void {
    if (this.#dead !== undefined) return;
    try {
      const bodies = this.#parser.push(chunk);
      const [first] = bodies;
      if (first === undefined) return;
      const surplus = bodies.length > 1 || this.#parser.partial;
      if (this.#pending === undefined || surplus)
        throw new ProtocolFault('protocol.unsolicited', 'a reply that nobody asked for');
      this.#accept(decodeEnvelope(first));
    } catch (error) {
      if (!(error instanceof ProtocolFault)) throw error;
      this.#fail(fault(error.reason, error.message));
    }
  }

  #accept(envelope: Envelope): void {
    if (envelope.index < this.#next) throw new ProtocolFault('protocol.unsolicited', 'a second reply to a request');
    if (envelope.index !== this.#next) throw new ProtocolFault('protocol.malformed', 'a reply to another request');
    this.#next += 1;
    const failed = faultOf(envelope);
    if (failed !== undefined) this.#fail(failed);
    else this.#settle(value(envelope.value));
  }

  #settle(reply: Reply<unknown>): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#pending = undefined;
    clearTimeout(pending.timer);
    pending.resolve({ reply, ms: performance.now() - pending.since });
  }

  #fail(reply: Extract<Reply<never>, { ok: false }>): void {
    if (this.#dead !== undefined) return;
    this.#dead = reply;
    this.#killProcess();
    this.#socket.destroy();
    this.#settle(reply);
  }

  /** The connection ended before we closed it: the process is dead or dying, or it hides. How it ended tells which. */
  async #connectionEnded(): Promise<void> {
    if (this.#dead !== undefined) return;
    const timer = setTimeout(this.#killProcess, FAREWELL_MS);
    const exit = await this.exited;
    clearTimeout(timer);
    this.#fail(exit.kind === 'lost' ? fault('infra.zygote_lost', 'the fork server ended') : this.#exitFault(exit));
  }

  #exitFault({ status, cpu, killed }: Exited): Extract<Reply<never>, { ok: false }> {
    if (status === -SIGKILL && killed) return fault('protocol.closed', 'the process closed its connection');
    if (status === -SIGSYS) return fault('policy.syscall', 'a system call that is not allowed');
    if (status === -SIGKILL && cpu >= this.#cpuSeconds * 0.9)
      return fault('timeout.cpu', `${cpu.toFixed(1)} s of CPU time`);
    if (status === -SIGKILL) return fault('infra.killed', 'killed from outside');
    if (status === EXIT_UNCONFINED) return fault('infra.sandbox_unavailable', 'the process could not be confined');
    if (status < 0) return fault('crash.signal', `signal ${-status}`);
    return fault('crash.exit', `exit code ${status}`);
  }
}
