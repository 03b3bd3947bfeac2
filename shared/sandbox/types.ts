import type { ReasonCode, WarningCode } from '../contracts/reason-codes.ts';

/** Bounds of one program's life. Times are wall-clock milliseconds, sizes are bytes unless the name says otherwise. */
export interface SandboxLimits {
  /** One `reset`, `step` or `solution`. @default 1000 */
  readonly stepMs: number;
  /** Sum of the program's own time over an episode; waiting for the policy does not count. @default 20000 */
  readonly episodeMs: number;
  /** Static analysis, or import and construction. @default 2000 */
  readonly loadMs: number;
  /** Memory beyond the interpreter's own. @default 192 */
  readonly memoryMb: number;
  /** Longest observation in UTF-8 bytes. @default 65536 */
  readonly observationBytes: number;
  /** Longest source in UTF-8 bytes. @default 65536 */
  readonly sourceBytes: number;
  /** Longest action in UTF-8 bytes; a longer one is refused before it is sent. @default 1048576 */
  readonly actionBytes: number;
  /** Largest magnitude of a reward. @default 1000000 */
  readonly rewardMagnitude: number;
}

/** How a sandbox is started. */
export interface SandboxOptions {
  /** Interpreter, 3.10 or newer. @default SPADE_PYTHON, else `python3` */
  readonly python?: string;
  /**
   * Socket of a door (`door.py`) behind which programs run in a container of their own, instead of as children of this process. The folder
   * of the socket must be one that both containers see under this name. @default none
   */
  readonly door?: string;
  /** Episodes at once; lowered when memory does not allow so many (slots × memoryMb ≤ 0.8 × memory). @default 64 */
  readonly slots?: number;
  /** `required` refuses to start without the system-call filter; `best-effort` (macOS, Lambda) starts and reports what is missing. @default 'required' */
  readonly isolation?: 'required' | 'best-effort';
  readonly limits?: Partial<SandboxLimits>;
  /** Modules outside the standard library that programs may import, e.g. `numpy`; must be installed for `python`. @default [] */
  readonly extraModules?: readonly string[];
  /** Faults by deadline, crash or policy after which a program (by hash of its source) is no longer started. @default 64 */
  readonly quarantineAfter?: number;
}

/** Which walls stand. Stored with every verdict. */
export interface IsolationReport {
  /** Active layers, sorted: `seccomp`, `rlimits`, `uid`, `no-new-privs`, `empty-env`, `closed-fds`. */
  readonly layers: readonly string[];
  /** Layers that this host refused, with the reason. */
  readonly missing: readonly string[];
  /** Interpreter, its version and its platform, e.g. `CPython 3.11.7, linux x86_64`. */
  readonly interpreter: string;
}

/** A value, or why there is none. A fault is data: nothing here throws for what a program does. */
export type Reply<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly outcome: 'env_fault' | 'infra_lost';
      readonly reason: ReasonCode;
      readonly detail: string;
    };

/** What can be said of a program without running it. */
export interface SourceFacts {
  /** Name of the environment class. */
  readonly title: string;
  /** Top-level names of imported modules, sorted. */
  readonly imports: readonly string[];
  /** SHA-256 (hex) of the tree without names of classes and variables, comments, docstrings and the order of methods. */
  readonly syntaxHash: string;
  /** Min-hash sketch of the normalised tree: unsigned 32-bit integers, always the same number of them. */
  readonly shingles: readonly number[];
  readonly nodes: number;
  readonly lines: number;
  readonly bytes: number;
  /** Methods of the environment class, sorted. */
  readonly methods: readonly string[];
  readonly warnings: readonly WarningCode[];
}

/** What is known of the class once it is loaded and constructed. */
export interface ClassFacts {
  readonly title: string;
  readonly hasSolution: boolean;
  /** Whether it speaks the tool-use protocol. */
  readonly toolUse: boolean;
  /** OpenAI function schemas in tool use, as the program declares them; else empty. */
  readonly tools: readonly unknown[];
}

/** One step of an episode, every value re-checked on this side of the boundary. */
export interface StepResult {
  readonly observation: string;
  /** Finite. */
  readonly reward: number;
  readonly terminated: boolean;
  /** False when `terminated` is true: an episode that ended by itself was not cut. */
  readonly truncated: boolean;
  /** Number of `info` entries that were not finite numbers under short text keys; `info` never reaches a prompt. */
  readonly droppedInfo: number;
}

/** One program in one fresh process. Calls are strictly one after the other. */
export interface SandboxedEnvironment {
  load(): Promise<Reply<ClassFacts>>;
  /** Constructs a new instance when one was played before, then resets it; `reuse` resets the played one itself. */
  reset(seed: number, options?: { readonly reuse?: boolean }): Promise<Reply<{ readonly observation: string }>>;
  step(action: string): Promise<Reply<StepResult>>;
  /** The reference solution, called on the instance as `reset` left it. Null when the program has none. */
  solution(): Promise<Reply<{ readonly text: string; readonly actions: readonly string[] | null } | null>>;
  /** Ends the process. Idempotent; returns at once. */
  close(): void;
}

/** How a program is opened. */
export interface OpenOptions {
  /** Seeds the `random` module before the program is imported. */
  readonly seed: number;
  /** Variant for validation: other hash seed, other clock. @default 'play' */
  readonly world?: 'play' | 'other-hash-seed' | 'other-clock';
  /** Turns that there will be: passed to the constructor when it takes `max_turns`. */
  readonly maxTurns?: number;
  /** A program with a number of turns of its own keeps it, up to `maxTurns`, as the reference trains. @default false */
  readonly ownTurns?: boolean;
}

/** A running sandbox. */
export interface Sandbox {
  readonly isolation: IsolationReport;
  readonly limits: SandboxLimits;
  /** Waits for a free slot. Never rejects for what a program does: a lost sandbox shows in the first reply. */
  open(source: string, options: OpenOptions): Promise<SandboxedEnvironment>;
  /** Parses the program in a process of its own and describes it. */
  analyse(source: string): Promise<Reply<SourceFacts>>;
  close(): Promise<void>;
}
