import type { CompletionRequest } from '../../ports/index.ts';

/** Body of a chat completion, in vLLM's words. */
export function completionBody({ model, messages, sampler, seed }: CompletionRequest): object {
  return {
    model,
    messages,
    n: 1,
    seed,
    temperature: sampler.temperature,
    top_p: sampler.topP,
    // 0 means no truncation in both vocabularies.
    top_k: sampler.topK,
    max_tokens: sampler.maxTokens,
    logprobs: true,
    return_token_ids: true,
  };
}

/** Body of a completion that samples one token for the sake of its prompt's log-probs. */
export function scoreBody(model: string, tokenIds: readonly number[]): object {
  return { model, prompt: tokenIds, max_tokens: 1, temperature: 1, prompt_logprobs: 0 };
}

/** How servers say that a prompt does not fit the context: OpenAI's code, or the words of vLLM, llama.cpp and ours. */
export function isPromptTooLong(body: string): boolean {
  return /context_length_exceeded|maximum context length|context (length|window|size)|prompt is too long|max_model_len/i.test(
    body,
  );
}
