import * as z from 'zod';
import { PolicyMalformed } from '../../contracts/index.ts';
import type { Chat, Policy } from '../../ports/index.ts';
import { attempt } from './http.ts';
import { defaultRetryPolicy, type RetryPolicy, withRetries } from './retry.ts';
import { createTransport } from './transport.ts';

/** What is read of a chat completion when only its text matters. */
const TextAnswer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).length(1),
});

/** How a server is called. */
export interface ChatOptions extends Partial<RetryPolicy> {
  /** Deadline of one request. @default 120000 */
  readonly requestTimeoutMs?: number;
}

const MAX_BODY_BYTES = 2 ** 20;

/**
 * Any OpenAI-compatible server, for its texts alone: greedy, one choice.
 * @param base `http(s)://host[:port]/v1`
 */
export function createHttpChat(base: string, options: ChatOptions = {}): Chat {
  const timeoutMs = options.requestTimeoutMs ?? 120_000;
  const transport = createTransport(base, { timeoutMs, maxBodyBytes: MAX_BODY_BYTES, maxSockets: 64 });
  const retry: RetryPolicy = { ...defaultRetryPolicy, ...options };
  return {
    async say({ model, messages, maxTokens, seed }) {
      const body = { model, messages, n: 1, temperature: 0, max_tokens: maxTokens, seed };
      const post = () => attempt(base, transport, 'POST', '/chat/completions', body);
      return textOf(base, await withRetries(base, retry, post));
    },
  };
}

function textOf(base: string, body: string): string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (cause) {
    throw new PolicyMalformed(base, 'not JSON', { cause });
  }
  const parsed = TextAnswer.safeParse(json);
  if (!parsed.success) throw new PolicyMalformed(base, 'not one choice with a text');
  return parsed.data.choices[0]?.message.content ?? '';
}

/** The policy that is being trained, asked for a text. */
export function policyChat(policy: Pick<Policy, 'complete'>): Chat {
  return {
    async say({ model, messages, maxTokens, seed }) {
      const sampler = { temperature: 0, topP: 1, topK: 0, maxTokens };
      return (await policy.complete({ model, messages, sampler, seed })).text;
    },
  };
}
