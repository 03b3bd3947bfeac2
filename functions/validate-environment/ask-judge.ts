import {
  type Design,
  DesignRequest,
  type ExperimentConfig,
  iterationKeys,
  policyModelName,
  ServiceUnavailable,
} from '../../shared/contracts/index.ts';
import type { Verdict } from '../../shared/contracts/verdict.ts';
import type { Chat, Stores } from '../../shared/ports/index.ts';
import { judgeMessages, judgeToken, type Opinion, parseOpinion, withOpinion } from '../../shared/validation/judge.ts';
import { readObject } from '../objects.ts';

/** What asking the judge needs of the world. */
export interface JudgeDeps {
  readonly stores: Pick<Stores, 'episodes'>;
  /** The model at a URI; `auto` is the policy that is being trained. */
  readonly chat: (uri: string) => Chat;
}

/** A design that validation has judged. */
export interface JudgedProgram {
  readonly config: ExperimentConfig;
  readonly design: Design;
  readonly verdict: Verdict;
  readonly probeSeed: number;
}

/**
 * The verdict with the opinion of the LLM judge on it (M20), where the experiment asks for one and code accepted the program.
 * @throws {ServiceUnavailable} when the judge is required and does not answer: there is no verdict then, so nothing is accepted, and
 *   nothing is charged to the designer
 */
export async function askJudge(program: JudgedProgram, deps: JudgeDeps): Promise<Verdict> {
  const { config, verdict } = program;
  const { mode } = config.judge;
  if (mode === 'off' || !verdict.accepted) return verdict;
  try {
    return withOpinion(verdict, await opinionOf(program, deps), mode);
  } catch (cause) {
    if (mode === 'advise') return withOpinion(verdict, null, mode);
    throw new ServiceUnavailable('judge', cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

async function opinionOf({ config, design, probeSeed }: JudgedProgram, deps: JudgeDeps): Promise<Opinion> {
  const { judge, setting } = config;
  const token = judgeToken(probeSeed);
  const reply = await deps.chat(judge.policy).say({
    model: judge.policy === 'auto' ? await servedModel(design, deps) : judge.model,
    messages: judgeMessages({ source: design.source, setting, token }),
    maxTokens: judge.maxTokens,
    seed: probeSeed,
  });
  return parseOpinion(reply, token);
}

/** The version that is served while its designs are judged. */
async function servedModel({ experiment, iteration, index }: Design, { stores }: JudgeDeps): Promise<string> {
  const request = await readObject(
    stores.episodes,
    iterationKeys(experiment, iteration).designRequest(index),
    DesignRequest,
  );
  return policyModelName(experiment, request.policyVersion);
}
