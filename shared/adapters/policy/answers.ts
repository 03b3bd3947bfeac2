import * as z from 'zod';
import { type FinishReason, PolicyMalformed } from '../../contracts/index.ts';
import type { Completion } from '../../ports/index.ts';

const tokenIds = z.array(z.int().min(0));
const logprob = z.number();

/** What is read of a chat completion; a server may say more. The fields are vLLM's. */
const ChatAnswer = z.object({
  model: z.string(),
  prompt_token_ids: tokenIds.nullish(),
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
        token_ids: tokenIds.nullish(),
        logprobs: z.object({ content: z.array(z.object({ logprob })).nullish() }).nullish(),
      }),
    )
    .length(1),
});

/** Log-probs of a prompt: plain numbers, or vLLM's map from token id to its log-prob. The first token has none. */
const ScoreAnswer = z.object({
  choices: z
    .array(
      z.object({
        prompt_logprobs: z.array(z.union([logprob, z.null(), z.record(z.string(), z.object({ logprob }))])).nullish(),
      }),
    )
    .min(1),
});

/** A log-prob may exceed 0 by rounding in a server's float32; more than this is nonsense. */
const ROUNDING = 1e-4;

const NO_TOKEN_IDS =
  'no token ids: training needs the ids and log-probs that the sampler chose. Use vLLM 0.10.2 or newer, or the policy server of this project';

/**
 * Reads the body of a chat completion.
 *
 * @param model - the model that was asked for; an answer of another one is refused. Null where the server renames models.
 * @throws {PolicyMalformed} naming what is wrong: not JSON, no or several choices, missing ids or log-probs, another model
 */
export function readCompletion(uri: string, model: string | null, body: string): Completion {
  const answer = parse(uri, ChatAnswer, body);
  if (model !== null && answer.model !== model) {
    throw new PolicyMalformed(uri, `the answer is of model ${excerpt(answer.model)}, not ${model}`);
  }
  const choice = answer.choices[0];
  if (choice === undefined) throw new PolicyMalformed(uri, 'no choices');
  const { token_ids: ids, message } = choice;
  if (!ids || !answer.prompt_token_ids) throw new PolicyMalformed(uri, NO_TOKEN_IDS);
  if (typeof message.content !== 'string') {
    throw new PolicyMalformed(uri, 'no text: start the server without a reasoning or tool parser, which take it apart');
  }
  return {
    text: message.content,
    finishReason: finishReason(uri, choice.finish_reason),
    promptTokenIds: answer.prompt_token_ids,
    tokenIds: ids,
    logprobs: sampledLogprobs(uri, choice.logprobs?.content, ids.length),
  };
}

/**
 * Reads the log-probs of a prompt out of a completion.
 *
 * @throws {PolicyMalformed}
 */
export function readPromptLogprobs(uri: string, ids: readonly number[], body: string): (number | null)[] {
  const given = parse(uri, ScoreAnswer, body).choices[0]?.prompt_logprobs;
  if (!given) throw new PolicyMalformed(uri, 'no prompt_logprobs');
  if (given.length !== ids.length) {
    throw new PolicyMalformed(uri, `${given.length} prompt log-probs for ${ids.length} tokens`);
  }
  return given.map((entry, position) => {
    if (entry === null || typeof entry === 'number') return entry;
    const own = entry[String(ids[position])];
    if (own === undefined) throw new PolicyMalformed(uri, `no log-prob of the prompt's own token at ${position}`);
    return own.logprob;
  });
}

function sampledLogprobs(uri: string, content: readonly { logprob: number }[] | null | undefined, length: number) {
  if (!content) throw new PolicyMalformed(uri, 'no log-probs');
  if (content.length !== length) throw new PolicyMalformed(uri, `${content.length} log-probs for ${length} tokens`);
  return content.map(({ logprob: value }) => {
    if (value > ROUNDING) throw new PolicyMalformed(uri, `a log-prob of ${value}`);
    return Math.min(0, value);
  });
}

function finishReason(uri: string, reason: string | null | undefined): FinishReason {
  if (reason === 'stop' || reason === 'length') return reason;
  throw new PolicyMalformed(uri, `finish reason ${JSON.stringify(reason)}`);
}

function parse<T>(uri: string, schema: z.ZodType<T>, body: string): T {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch (error) {
    throw new PolicyMalformed(uri, `not JSON: ${excerpt(body)}`, { cause: error });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new PolicyMalformed(uri, `${issue?.path.join('.') || 'answer'}: ${issue?.message}`, { cause: parsed.error });
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
