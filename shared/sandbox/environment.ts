import type { ReasonCode } from '../contracts/reason-codes.ts';
import type { Answer, Child } from './child.ts';
import { fault } from './reply.ts';
import type { ClassFacts, OpenOptions, Reply, SandboxedEnvironment, SandboxLimits, StepResult } from './types.ts';
import { checkedClass, checkedReset, checkedSolution, checkedStep } from './values.ts';

/** One program in one process, with the time it may still spend. */
export class ChildEnvironment implements SandboxedEnvironment {
  readonly #child: Child;
  readonly #source: string;
  readonly #options: OpenOptions;
  readonly #limits: SandboxLimits;
  readonly #onFault: (reason: ReasonCode) => void;
  #remainingMs: number;
  #refundedMs = 0;
  #playing = false;

  /** @param onFault told once, at the first fault of the program */
  public constructor(
    child: Child,
    source: string,
    options: OpenOptions,
    limits: SandboxLimits,
    onFault: (reason: ReasonCode) => void,
  ) {
    this.#child = child;
    this.#source = source;
    this.#options = options;
    this.#limits = limits;
    this.#onFault = onFault;
    this.#remainingMs = limits.episodeMs;
  }

  public async load(): Promise<Reply<ClassFacts>> {
    const message = {
      op: 'load',
      source: this.#source,
      seed: this.#options.seed,
      maxTurns: this.#options.maxTurns ?? null,
      ownTurns: this.#options.ownTurns ?? false,
      clock: this.#options.world === 'other-clock' ? 'other' : 'real',
      observationBytes: this.#limits.observationBytes,
      rewardMagnitude: this.#limits.rewardMagnitude,
    };
    return this.#checked(await this.#child.request(message, this.#limits.loadMs, 'timeout.wall'), checkedClass);
  }

  public async reset(seed: number, options: { reuse?: boolean } = {}): Promise<Reply<{ observation: string }>> {
    const message = { op: 'reset', seed, reuse: options.reuse ?? false };
    const reply = this.#checked(await this.#ask(message), (raw) => checkedReset(raw, this.#limits));
    this.#playing = reply.ok;
    return reply;
  }

  public async step(action: string): Promise<Reply<StepResult>> {
    if (!this.#playing) throw new Error('step is called between reset and the end of the episode only');
    const text = action.toWellFormed();
    if (Buffer.byteLength(text) > this.#limits.actionBytes) throw new RangeError('the action is too long');
    const reply = this.#checked(await this.#ask({ op: 'step', action: text }), (raw) => checkedStep(raw, this.#limits));
    if (reply.ok && !reply.value.terminated && !reply.value.truncated) return reply;
    this.#playing = false;
    return reply.ok ? this.#lastWord(reply) : reply;
  }

  public async solution(): Promise<Reply<{ text: string; actions: readonly string[] | null } | null>> {
    return this.#checked(await this.#ask({ op: 'solution' }), checkedSolution);
  }

  public close(): void {
    this.#child.kill();
  }

  /**
   * The last reply counts once the process has answered an empty request after it: a forged reply beside the real one comes
   * before that answer, however late it arrives.
   */
  async #lastWord<T>(reply: Reply<T>): Promise<Reply<T>> {
    return this.#checked(await this.#child.request({ op: 'end' }, this.#limits.stepMs, 'timeout.step'), () => reply);
  }

  /** One request within both deadlines: the step's, and what is left of the episode's. */
  async #ask(message: unknown): Promise<Answer> {
    if (this.#remainingMs < this.#limits.stepMs) await this.#refund();
    const episodeEndsFirst = this.#remainingMs < this.#limits.stepMs;
    const deadline = Math.max(1, Math.ceil(Math.min(this.#limits.stepMs, this.#remainingMs)));
    const answer = await this.#child.request(message, deadline, episodeEndsFirst ? 'timeout.episode' : 'timeout.step');
    this.#remainingMs -= answer.ms;
    return answer;
  }

  /**
   * Time in the queue for a core was charged like the program's own; before it decides, it is given back, at most one budget in
   * all, because some of it was spent between requests and never charged.
   */
  async #refund(): Promise<void> {
    const queued = Math.min(await this.#child.queuedMs(), this.#limits.episodeMs);
    this.#remainingMs += queued - this.#refundedMs;
    this.#refundedMs = queued;
  }

  #checked<T>({ reply }: Answer, check: (raw: unknown) => Reply<T>): Reply<T> {
    const checked = reply.ok ? check(reply.value) : reply;
    if (!checked.ok) {
      this.#onFault(checked.reason);
      this.#child.kill();
    }
    return checked;
  }
}

/** An environment that never was: every call gives the same fault. Stands in when no process could be had. */
export class LostEnvironment implements SandboxedEnvironment {
  readonly #reply: Extract<Reply<never>, { ok: false }>;

  public constructor(reason: ReasonCode, detail: string) {
    this.#reply = fault(reason, detail);
  }

  public load = async (): Promise<Reply<never>> => this.#reply;
  public reset = async (): Promise<Reply<never>> => this.#reply;
  public step = async (): Promise<Reply<never>> => this.#reply;
  public solution = async (): Promise<Reply<never>> => this.#reply;
  public close = (): void => {};
}
