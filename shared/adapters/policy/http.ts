import { InvalidInput, PolicyMalformed, PolicyUnavailable, PromptTooLong } from '../../contracts/index.ts';
import type { CompletionRequest, Policy } from '../../ports/index.ts';
import { readCompletion, readPromptLogprobs } from './answers.ts';
import { completionBody, isPromptTooLong, scoreBody } from './requests.ts';
import { type Attempt, defaultRetryPolicy, type RetryPolicy, retryAfterMs, withRetries } from './retry.ts';
import { BodyTooLarge, createTransport, type HttpAnswer, type Transport } from './transport.ts';

/** How a policy server is called. */
export interface HttpPolicyOptions extends Partial<RetryPolicy> {
  /** Deadline of one request. @default 120000 */
  readonly requestTimeoutMs?: number;
  /** @default 16777216: a completion of 16,384 tokens with log-probs takes about 2 MB */
  readonly maxBodyBytes?: number;
  /** Connections at once. @default 1024 */
  readonly maxSockets?: number;
}

/** A policy whose connections can be closed. */
export interface HttpPolicy extends Policy {
  close(): void;
}

/**
 * The policy behind an OpenAI-compatible server that speaks vLLM's extensions (`return_token_ids`, `prompt_logprobs`).
 *
 * Tried again: no connection, a broken or late answer, 408, 425, 429 and every 5xx. Not tried again: an answer that is not a completion
 * ({@link PolicyMalformed}), a prompt that does not fit ({@link PromptTooLong}), and what the server refuses for good.
 *
 * @param base - `http(s)://host[:port]/v1`
 */
export function createHttpPolicy(base: string, options: HttpPolicyOptions = {}): HttpPolicy {
  const transport = createTransport(base, {
    timeoutMs: options.requestTimeoutMs ?? 120_000,
    maxBodyBytes: options.maxBodyBytes ?? 16 * 2 ** 20,
    maxSockets: options.maxSockets ?? 1024,
  });
  const retry: RetryPolicy = { ...defaultRetryPolicy, ...options };
  const post = (path: string, body: object, signal?: AbortSignal) =>
    withRetries(base, retry, () => attempt(base, transport, 'POST', path, body, signal), signal);
  return {
    async complete(request: CompletionRequest) {
      const answer = await post('/chat/completions', completionBody(request), request.signal);
      return readCompletion(base, request.model, answer);
    },
    async score(model, tokenIds) {
      const answer = await post('/completions', scoreBody(model, tokenIds));
      return readPromptLogprobs(base, tokenIds, answer);
    },
    close: () => transport.close(),
  };
}

/**
 * One exchange, sorted into success, another try, or an error for good.
 *
 * @throws {PolicyMalformed} @throws {PromptTooLong} @throws {PolicyUnavailable} when the server does not have the model
 * @throws {InvalidInput} for what it refuses otherwise
 */
export async function attempt(
  base: string,
  transport: Transport,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Attempt<string>> {
  let answer: HttpAnswer;
  try {
    answer = await transport.send(method, path, body, signal);
  } catch (error) {
    if (error instanceof BodyTooLarge) throw new PolicyMalformed(base, error.message, { cause: error });
    return { ok: false, reason: error instanceof Error ? error.message : String(error), cause: error };
  }
  if (answer.status === 200) return { ok: true, value: answer.body };
  const reason = `HTTP ${answer.status}: ${detail(answer.body)}`;
  if (isTemporary(answer.status)) {
    return { ok: false, reason, retryAfterMs: retryAfterMs(answer.retryAfter, Date.now()) };
  }
  if (answer.status === 404) throw new PolicyUnavailable(base, reason);
  if (answer.status === 400 && isPromptTooLong(answer.body)) throw new PromptTooLong(base, reason);
  throw new InvalidInput(`request to policy server ${base}`, [reason]);
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** The message of an OpenAI-shaped error, or the beginning of the body. */
function detail(body: string): string {
  return (/"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(body)?.[1] ?? body).slice(0, 300);
}
