import type {
  Band,
  DifficultyDimension,
  EnvironmentStatistics,
  FinishReason,
  IterationCompleted,
  IterationRequest,
  SamplerSettings,
  SpendEntry,
} from '../contracts/index.ts';

/**
 * Ports: what use cases may ask of the world, as verbs. Adapters in `shared/adapters` implement them; tests fake them.
 * A port's method rejects with a `SpadeError` only.
 */

/** Bytes under keys. Writes are atomic: a key holds a whole object or nothing. */
export interface Store {
  /** @throws {NotFound} */
  get(key: string): Promise<Uint8Array>;
  /** The bytes, or null when nothing is stored. */
  find(key: string): Promise<Uint8Array | null>;
  /** The bytes piece by piece, for what may be larger than memory. @throws {NotFound} at the first piece */
  chunks(key: string): AsyncIterable<Uint8Array>;
  put(key: string, body: Uint8Array | string): Promise<void>;
  /** Stores a file of this machine, whatever its size, in pieces. */
  putFile(key: string, path: string): Promise<void>;
  /** Writes only if the key is free; false when it was taken (S3 `If-None-Match: *`). */
  putIfAbsent(key: string, body: Uint8Array | string): Promise<boolean>;
  exists(key: string): Promise<boolean>;
  /** All keys under a prefix, sorted. */
  list(prefix: string): Promise<string[]>;
  /** URI of a key or prefix as services take it (`s3://bucket/…`, `file:///…`). */
  uri(key: string): string;
}

/** The four stores (design §4). */
export interface Stores {
  readonly environments: Store;
  readonly episodes: Store;
  readonly policies: Store;
  readonly corpora: Store;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly sampler: SamplerSettings;
  readonly seed: number;
  readonly signal?: AbortSignal;
}

/** One sampled completion; `tokenIds` and `logprobs` include the end-of-turn token when `finishReason` is `stop`. */
export interface Completion {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly promptTokenIds: readonly number[];
  readonly tokenIds: readonly number[];
  readonly logprobs: readonly number[];
}

/** The shared policy behind one interface (design §7). */
export interface Policy {
  /** @throws {PolicyUnavailable} after bounded retries; @throws {PolicyMalformed}; @throws {PromptTooLong} */
  complete(request: CompletionRequest): Promise<Completion>;
  /** Log-probs (temperature 1) of given tokens; the first has none. */
  score(model: string, tokenIds: readonly number[]): Promise<readonly (number | null)[]>;
}

/** Text in, text out: what a judge needs of a model (M20). Any OpenAI-compatible server is one; token ids are not asked for. */
export interface Chat {
  /** @throws {PolicyUnavailable} after bounded retries; @throws {PolicyMalformed}; @throws {PromptTooLong} */
  say(request: ChatRequest): Promise<string>;
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  readonly seed: number;
}

/** Makes a policy version answer: loads it into a server, or creates and watches an endpoint (phase 2). */
export interface PolicyHost {
  /** True when `model` answers; false when it is still coming up. Calling it again is harmless. */
  ensureServed(model: string, policyPrefix: string): Promise<boolean>;
  /** Releases what bills by the hour for an experiment. */
  release(experiment: string): Promise<void>;
}

/** What the memory knows about an accepted environment. */
export interface MemoryEntry {
  readonly environment: string;
  readonly title: string;
  readonly skill: string;
  readonly iteration: number;
  readonly syntaxHash: string;
  readonly difficulty: Readonly<Record<DifficultyDimension, number>>;
  readonly statistics: EnvironmentStatistics | null;
  /** Which kind of example it makes under the experiment's thresholds (M14); null until it was measured. */
  readonly band: Band | null;
}

/** The environment memory (M14): query cost does not depend on its size. */
export interface Memory {
  /** Idempotent; keyed by experiment and hash. An entry without statistics never replaces one that has them. */
  record(experiment: string, entry: MemoryEntry): Promise<void>;
  /** Top `limit` of a band by regret, highest first, ties by hash. Entries of `beforeIteration` or later are left out. */
  topByRegret(
    experiment: string,
    skill: string,
    band: 'frontier' | 'easy' | 'hard',
    limit: number,
    beforeIteration: number,
  ): Promise<MemoryEntry[]>;
  find(experiment: string, environment: string): Promise<MemoryEntry | null>;
  /** Environments already admitted with one of these near-duplicate bucket keys; see `domain/near-duplicates`. */
  candidates(experiment: string, bucketKeys: readonly string[], beforeIteration: number): Promise<string[]>;
  index(experiment: string, environment: string, bucketKeys: readonly string[], iteration: number): Promise<void>;
  /** Latest titles, newest first. */
  recentTitles(experiment: string, limit: number, beforeIteration: number): Promise<string[]>;
}

/** Spend and progress of an experiment. */
export interface Ledger {
  /** Idempotent by (iteration, unit, attempt). */
  spend(entry: SpendEntry): Promise<void>;
  totalUsd(experiment: string): Promise<number>;
  currentPolicy(experiment: string): Promise<number>;
  /** Sets the current version after an iteration; repeated calls with the same iteration change nothing. */
  promote(experiment: string, iteration: number, version: number): Promise<void>;
  stopRequested(experiment: string): Promise<boolean>;
  recordIteration(experiment: string, iteration: number, status: 'running' | 'completed' | 'failed'): Promise<void>;
}

/** The iteration queue. */
export interface Queue {
  send(request: IterationRequest): Promise<void>;
}

export interface Events {
  iterationCompleted(event: IterationCompleted): Promise<void>;
  iterationFailed(event: { experiment: string; iteration: number; error: string; cause: string }): Promise<void>;
}

/** Live progress for people; never read back by the program. */
export interface Progress {
  emit(event: ProgressEvent): void;
}

export interface ProgressEvent {
  readonly phase: 'plan' | 'serve' | 'design' | 'rollout' | 'score' | 'train' | 'evaluate' | 'publish' | 'close';
  readonly experiment: string;
  readonly iteration: number;
  readonly done?: number;
  readonly total?: number;
  /** Numbers worth showing beside the bar, such as `valid`, `duplicate`, `meanReturn`. */
  readonly numbers?: Readonly<Record<string, number>>;
}
