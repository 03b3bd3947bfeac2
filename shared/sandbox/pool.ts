import type { Child } from './child.ts';
import { Zygote, type ZygoteSettings } from './zygote.ts';

/**
 * Processes ready to play: a few are always forked and confined ahead of demand, and never more than `slots` are in use.
 * A lost fork server is replaced at the next request.
 */
export class Pool {
  readonly #settings: ZygoteSettings;
  readonly #slots: number;
  readonly #warmTarget: number;
  readonly #waiting: (() => void)[] = [];
  #zygote: Promise<Zygote> | undefined;
  #warm: Promise<Child>[] = [];
  #inUse = 0;
  #closed = false;

  public constructor(settings: ZygoteSettings, slots: number, warmTarget: number) {
    this.#settings = settings;
    this.#slots = slots;
    this.#warmTarget = Math.min(slots, warmTarget);
  }

  /** The fork server, started when there is none. */
  public async zygote(): Promise<Zygote> {
    const current = await this.#zygote?.catch(() => undefined);
    if (current?.alive) return current;
    if (this.#closed) throw new Error('the sandbox is closed');
    this.#warm = [];
    this.#zygote = Zygote.start(this.#settings);
    return this.#zygote;
  }

  /**
   * A process for one use, as soon as a slot is free. The slot is free again when the process is dead.
   * @throws {SandboxUnavailable} when the fork server cannot be started or was lost meanwhile
   */
  public async take(): Promise<Child> {
    if (this.#inUse >= this.#slots) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inUse += 1;
    try {
      const child = await this.#ready();
      void child.exited.then(() => this.#release());
      return child;
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** Ends everything. */
  public async close(): Promise<void> {
    this.#closed = true;
    const zygote = await this.#zygote?.catch(() => undefined);
    await zygote?.stop();
  }

  async #ready(): Promise<Child> {
    for (;;) {
      const zygote = await this.zygote();
      const child = await (this.#warm.shift() ?? zygote.fork());
      while (this.#warm.length < this.#warmTarget) this.#warm.push(quietly(zygote.fork()));
      if (child.usable) return child;
    }
  }

  /** Hands the slot to the next in line, or frees it. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next();
    else this.#inUse -= 1;
  }
}

/** A fork that fails while nobody waits for it is reported to whoever takes it, not to the process. */
function quietly(child: Promise<Child>): Promise<Child> {
  child.catch(() => {});
  return child;
}
