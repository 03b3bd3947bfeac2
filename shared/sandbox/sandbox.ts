import { createHash } from 'node:crypto';
import type { ReasonCode } from '../contracts/reason-codes.ts';
import type { Child } from './child.ts';
import { ChildEnvironment, LostEnvironment } from './environment.ts';
import { SandboxUnavailable } from './errors.ts';
import { admittedSlots, DEFAULT_LIMITS } from './limits.ts';
import { Pool } from './pool.ts';
import { sandboxPythonPath } from './python-path.ts';
import { Quarantine } from './quarantine.ts';
import { fault } from './reply.ts';
import { selfTest } from './self-test.ts';
import { sourceFault } from './source.ts';
import type {
  IsolationReport,
  OpenOptions,
  Reply,
  Sandbox,
  SandboxedEnvironment,
  SandboxLimits,
  SandboxOptions,
  SourceFacts,
} from './types.ts';
import { checkedFacts } from './values.ts';
import type { ZygoteSettings } from './zygote.ts';

const DEFAULT_SLOTS = 64;
const DEFAULT_QUARANTINE_AFTER = 64;
/** Processes kept ready for play; the second world is used by validation alone and keeps few. */
const WARM_PLAY = 8;
const WARM_OTHER = 2;
const HASH_SEED = 0;
const OTHER_HASH_SEED = 1;
/** A reply may be an observation with every byte escaped, or tool schemas; nothing honest is longer. */
const frameCap = (limits: SandboxLimits): number => 6 * limits.observationBytes + 262_144;

class ForkedSandbox implements Sandbox {
  public readonly isolation: IsolationReport;
  public readonly limits: SandboxLimits;
  readonly #play: Pool;
  readonly #other: Pool;
  readonly #quarantine: Quarantine;

  public constructor(
    play: Pool,
    other: Pool,
    isolation: IsolationReport,
    limits: SandboxLimits,
    quarantine: Quarantine,
  ) {
    this.#play = play;
    this.#other = other;
    this.isolation = isolation;
    this.limits = limits;
    this.#quarantine = quarantine;
  }

  public async open(source: string, options: OpenOptions): Promise<SandboxedEnvironment> {
    const refused = sourceFault(source, this.limits);
    if (refused !== undefined) return new LostEnvironment(refused.reason, refused.detail);
    const hash = createHash('sha256').update(source).digest('hex');
    if (this.#quarantine.holds(hash)) return new LostEnvironment('env.quarantined', 'too many faults of this program');
    const child = await take(options.world === 'other-hash-seed' ? this.#other : this.#play);
    if (!child.ok) return new LostEnvironment(child.reason, child.detail);
    return new ChildEnvironment(child.value, source, options, this.limits, (reason) =>
      this.#quarantine.count(hash, reason),
    );
  }

  public async analyse(source: string): Promise<Reply<SourceFacts>> {
    const refused = sourceFault(source, this.limits);
    if (refused !== undefined) return refused;
    const child = await take(this.#play);
    if (!child.ok) return child;
    const { reply } = await child.value.request({ op: 'analyse', source }, this.limits.loadMs, 'timeout.wall');
    child.value.kill();
    if (!reply.ok)
      return EXHAUSTED.has(reply.reason) ? fault('source.too_complex', `the parser ended: ${reply.detail}`) : reply;
    return checkedFacts(reply.value);
  }

  public async close(): Promise<void> {
    await Promise.all([this.#play.close(), this.#other.close()]);
  }
}

/** What a parser bomb does to the process that parses it. */
const EXHAUSTED: ReadonlySet<ReasonCode> = new Set([
  'crash.signal',
  'crash.exit',
  'limit.memory',
  'timeout.wall',
  'timeout.cpu',
  'env.exception',
]);

async function take(pool: Pool): Promise<Reply<Child>> {
  try {
    return { ok: true, value: await pool.take() };
  } catch (error) {
    const reason = error instanceof SandboxUnavailable ? 'infra.zygote_lost' : 'infra.sandbox_unavailable';
    return fault(reason, error instanceof Error ? error.message : String(error));
  }
}

/**
 * Starts the fork server, checks from inside that its walls stand, and returns the sandbox.
 * @throws {SandboxUnavailable} when it cannot be started, or with `isolation: 'required'` when the system-call filter is
 *   not in force: it fails closed
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const required = (options.isolation ?? 'required') === 'required';
  const settings: ZygoteSettings = {
    python: options.python ?? process.env.SPADE_PYTHON ?? 'python3',
    pythonPath: sandboxPythonPath(),
    door: options.door,
    hashSeed: HASH_SEED,
    memoryMb: limits.memoryMb,
    cpuSeconds: Math.ceil((limits.episodeMs + limits.loadMs) / 1000) + 1,
    filter: true,
    extraModules: options.extraModules ?? [],
    frameCap: frameCap(limits),
  };
  const slots = admittedSlots(options.slots ?? DEFAULT_SLOTS, limits.memoryMb);
  const play = new Pool(settings, slots, WARM_PLAY);
  const other = new Pool({ ...settings, hashSeed: OTHER_HASH_SEED }, slots, WARM_OTHER);
  try {
    const isolation = await selfTest(play, required);
    return new ForkedSandbox(
      play,
      other,
      isolation,
      limits,
      new Quarantine(options.quarantineAfter ?? DEFAULT_QUARANTINE_AFTER),
    );
  } catch (error) {
    await play.close();
    throw error;
  }
}
