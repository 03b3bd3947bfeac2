import type { Completion, CompletionRequest, Policy, ProgressEvent, Store, Stores } from '../../shared/ports/index.ts';
import type { Reply, Sandbox, SandboxedEnvironment, StepResult } from '../../shared/sandbox/types.ts';

/** Test doubles of the worker's world: they do what a test says and fail on everything else. */

/** A store in memory. */
export function memoryStore(
  objects: Record<string, string> = {},
): Store & { readonly objects: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>(Object.entries(objects).map(([key, text]) => [key, Buffer.from(text)]));
  const refuse = (what: string) => () => Promise.reject(new Error(`the worker must not ${what}`));
  return {
    objects: kept,
    async get(key) {
      const body = kept.get(key);
      if (body === undefined) throw new Error(`nothing at ${key}`);
      return body;
    },
    async putIfAbsent(key, body) {
      if (kept.has(key)) return false;
      kept.set(key, Buffer.from(body));
      return true;
    },
    exists: async (key) => kept.has(key),
    find: refuse('find'),
    chunks: () => {
      throw new Error('the worker must not read in pieces');
    },
    put: refuse('overwrite'),
    putFile: refuse('bring a file'),
    list: refuse('list'),
    uri: (key) => `memory://${key}`,
  };
}

/** The stores that the worker uses. */
export function memoryStores(
  objects: { environments?: Record<string, string>; corpora?: Record<string, string> } = {},
) {
  const stores = {
    environments: memoryStore(objects.environments),
    episodes: memoryStore(),
    corpora: memoryStore(objects.corpora),
  };
  return stores satisfies Pick<Stores, 'environments' | 'episodes' | 'corpora'>;
}

/** What a fake program does at each call; a program that is not told to fail plays `guess` for two steps and pays the last one. */
export interface FakeProgram {
  readonly reset?: (seed: number) => Reply<{ observation: string }>;
  readonly step?: (action: string, turn: number, seed: number) => Reply<StepResult>;
}

/** Counts what was opened and is still open. */
export interface FakeSandbox extends Pick<Sandbox, 'open'> {
  opened: number;
  running: number;
}

/** A sandbox whose programs are functions, by source text. */
export function fakeSandbox(programs: Readonly<Record<string, FakeProgram>>): FakeSandbox {
  const sandbox: FakeSandbox = {
    opened: 0,
    running: 0,
    async open(source) {
      sandbox.opened += 1;
      sandbox.running += 1;
      const program = programs[source];
      if (program === undefined) throw new Error(`no such program: ${source}`);
      return fakeEnvironment(program, () => {
        sandbox.running -= 1;
      });
    },
  };
  return sandbox;
}

function fakeEnvironment(program: FakeProgram, onClose: () => void): SandboxedEnvironment {
  let turn = 0;
  let seed = 0;
  let closed = false;
  return {
    load: async () => ok({ title: 'FakeEnv', hasSolution: false, toolUse: false, tools: [] }),
    async reset(given) {
      seed = given;
      return program.reset?.(given) ?? ok({ observation: `seed ${given}` });
    },
    async step(action) {
      turn += 1;
      return program.step?.(action, turn, seed) ?? step({ terminated: turn === 2, reward: turn === 2 ? 1 : 0 });
    },
    solution: async () => ok(null),
    close() {
      if (!closed) onClose();
      closed = true;
    },
  };
}

export function ok<T>(value: T): Reply<T> {
  return { ok: true, value };
}

/** A step that goes on and pays nothing, unless told otherwise. */
export function step(values: Partial<StepResult> = {}): Reply<StepResult> {
  return ok({ observation: 'go on', reward: 0, terminated: false, truncated: false, droppedInfo: 0, ...values });
}

/**
 * A policy that answers every request with the given text; ids are the characters of the conversation, so that turns merge when the next
 * prompt begins with what went before.
 */
export function fakePolicy(
  answer: (request: CompletionRequest, call: number) => string | Error | Promise<string>,
): Pick<Policy, 'complete'> & { readonly requests: CompletionRequest[] } {
  const requests: CompletionRequest[] = [];
  return {
    requests,
    async complete(request) {
      const text = await answer(request, requests.push(request));
      if (text instanceof Error) throw text;
      return completion(request, text);
    },
  };
}

function completion({ messages }: CompletionRequest, text: string): Completion {
  const ids = (content: string) => [...content].map((character) => character.codePointAt(0) ?? 0);
  const tokenIds = [...ids(text), END];
  const promptTokenIds = messages.flatMap(({ role, content }) =>
    role === 'assistant' ? [...ids(content), END] : ids(`${role}:${content}`),
  );
  return { text, finishReason: 'stop', promptTokenIds, tokenIds, logprobs: tokenIds.map(() => -0.5) };
}

const END = 1;

/** Progress that a test can read. */
export function recordedProgress() {
  const events: ProgressEvent[] = [];
  return { events, emit: (event: ProgressEvent) => void events.push(event) };
}
