import {
  Design,
  type DesignInput,
  type DesignOutput,
  DesignRequest,
  type ExperimentConfig,
  iterationKeys,
  NotFound,
  policyModelName,
} from '../../shared/contracts/index.ts';
import { verdictSchema } from '../../shared/contracts/verdict.ts';
import { extractProgram } from '../../shared/domain/parsing/program.ts';
import { promptSet } from '../../shared/domain/prompt-sets.ts';
import { designMessages, type Message, promptHash, repairMessages } from '../../shared/domain/prompts.ts';
import { deriveSeed } from '../../shared/domain/seeds.ts';
import type { Completion, Policy, Progress, Stores } from '../../shared/ports/index.ts';
import { readExperiment } from '../experiment.ts';
import { readObject, writeOnce } from '../objects.ts';
import { writeHint } from './write-hint.ts';

/** What writing a design needs of the world. */
export interface DesignDeps {
  readonly stores: Pick<Stores, 'episodes'>;
  readonly policy: Pick<Policy, 'complete'>;
  readonly progress: Progress;
}

/**
 * Phase 3: the designer writes one program, then a strategy hint for it. Turn 0 is the design and the only training sample; turn 1
 * answers the verdict that refused it. A text without a program is a design too: it is judged, and its hint call is saved.
 */
export async function designEnvironment(
  input: DesignInput,
  deps: DesignDeps,
  signal?: AbortSignal,
): Promise<DesignOutput> {
  const { experiment, iteration, index, turn } = input;
  const { episodes } = deps.stores;
  const keys = iterationKeys(experiment, iteration);
  if (await episodes.exists(keys.design(index, turn))) return { index, turn };

  const config = await readExperiment(episodes, experiment);
  const request = await readObject(episodes, keys.designRequest(index), DesignRequest);
  const messages = await conversation(config, request, turn, deps);
  const written = await deps.policy.complete({
    model: policyModelName(experiment, request.policyVersion),
    messages,
    sampler: config.samplers.designer,
    seed: deriveSeed(request.seed, 'design', turn),
    ...(signal && { signal }),
  });
  const { source, rule } = extractProgram(written.text);
  const hint = source === '' ? '' : await writeHint({ config, request, turn, source }, deps.policy, signal);
  await writeOnce(episodes, keys.design(index, turn), Design, {
    experiment,
    iteration,
    index,
    turn,
    source,
    parse: rule,
    text: written.text,
    finishReason: written.finishReason,
    tokens: tokensOf(written),
    hint,
    promptHash: promptHash(messages),
  });
  const numbers: Record<string, number> = turn === 0 ? { designed: 1 } : { repaired: 1 };
  deps.progress.emit({ phase: 'design', experiment, iteration, total: config.designer.environments, numbers });
  return { index, turn };
}

async function conversation(
  config: ExperimentConfig,
  request: DesignRequest,
  turn: number,
  deps: DesignDeps,
): Promise<Message[]> {
  const prompts = promptSet(config);
  if (turn === 0) return designMessages(prompts, request);
  const keys = iterationKeys(request.experiment, request.iteration);
  const [refused, verdict] = await Promise.all([
    readObject(deps.stores.episodes, keys.design(request.index, 0), Design),
    readObject(deps.stores.episodes, keys.verdict(request.index, 0), verdictSchema),
  ]);
  if (verdict.reason === null) throw new NotFound(`${keys.verdict(request.index, 0)}: a reason to repair for`);
  return repairMessages(prompts, request, { text: refused.text, reason: verdict.reason, detail: verdict.detail });
}

function tokensOf(completion: Completion): Design['tokens'] {
  return {
    promptTokenIds: [...completion.promptTokenIds],
    tokenIds: [...completion.tokenIds],
    logprobs: [...completion.logprobs],
  };
}
