import {
  type DesignRequest,
  type ExperimentConfig,
  PromptTooLong,
  policyModelName,
} from '../../shared/contracts/index.ts';
import { stripThinking } from '../../shared/domain/parsing/thinking.ts';
import { promptSet } from '../../shared/domain/prompt-sets.ts';
import { hintMessages, trimHint } from '../../shared/domain/prompts.ts';
import { deriveSeed } from '../../shared/domain/seeds.ts';
import type { Policy } from '../../shared/ports/index.ts';

/** What a hint is written for. */
export interface HintTask {
  readonly config: ExperimentConfig;
  readonly request: DesignRequest;
  readonly turn: number;
  readonly source: string;
}

/**
 * The privileged hint (method §1): a second call of the same policy, from the program's source; one strategy for every seed. It is
 * shown to the hinted arm only and never trained. A program that does not fit the context together with the hint prompt has no hint,
 * which validation refuses.
 */
export async function writeHint(
  { config, request, turn, source }: HintTask,
  policy: Pick<Policy, 'complete'>,
  signal?: AbortSignal,
): Promise<string> {
  const work = policy.complete({
    model: policyModelName(request.experiment, request.policyVersion),
    messages: hintMessages(promptSet(config), source),
    sampler: config.samplers.hint,
    seed: deriveSeed(request.seed, 'hint', turn),
    ...(signal && { signal }),
  });
  const completion = await work.catch((error: unknown) => {
    if (error instanceof PromptTooLong) return null;
    throw error;
  });
  return completion === null ? '' : trimHint(stripThinking(completion.text));
}
