import {
  Design,
  DesignRequest,
  iterationKeys,
  type PlanOutput,
  PolicyUnavailable,
  policyModelName,
  SandboxUnavailable,
} from '../../shared/contracts/index.ts';
import { type Verdict, verdictSchema } from '../../shared/contracts/verdict.ts';
import type { Store } from '../../shared/ports/index.ts';
import { findObject, readObject } from '../objects.ts';

/** A design with the verdict on it. */
export interface JudgedDesign {
  readonly request: DesignRequest;
  readonly design: Design;
  readonly verdict: Verdict;
}

/** One planned design: its last judged turn, or null when no verdict was reached (the host lost it). */
export interface PlannedDesign {
  readonly index: number;
  readonly judged: JudgedDesign | null;
}

/**
 * All planned designs in the order of their numbers. The truth is what was stored, whatever the map said. Losing some is ordinary; when more
 * than half are lost, a service is in trouble, and the iteration stops where it can be taken up again.
 * @throws {PolicyUnavailable} when most of the lost designs were never written
 * @throws {SandboxUnavailable} when most of them were written, and not judged
 */
export async function readJudgedDesigns(
  experiment: string,
  iteration: number,
  plan: Pick<PlanOutput, 'designs' | 'policyVersion'>,
  episodes: Store,
): Promise<PlannedDesign[]> {
  const indices = plan.designs.map(({ index }) => index).sort((a, b) => a - b);
  const designs = await Promise.all(indices.map((index) => readDesign(experiment, iteration, index, episodes)));
  const lost = designs.filter(({ judged }) => judged === null);
  if (lost.length * 2 <= designs.length) return designs;
  const keys = iterationKeys(experiment, iteration);
  const written = await Promise.all(lost.map(({ index }) => episodes.exists(keys.design(index, 0))));
  const what = `${lost.length} of ${designs.length} designs of iteration ${iteration} were lost; the log of the units says why`;
  if (written.filter(Boolean).length * 2 > lost.length) throw new SandboxUnavailable(what);
  throw new PolicyUnavailable(policyModelName(experiment, plan.policyVersion), what);
}

async function readDesign(
  experiment: string,
  iteration: number,
  index: number,
  episodes: Store,
): Promise<PlannedDesign> {
  const keys = iterationKeys(experiment, iteration);
  for (const turn of [1, 0]) {
    const verdict = await findObject(episodes, keys.verdict(index, turn), verdictSchema);
    if (verdict === null) continue;
    const request = await readObject(episodes, keys.designRequest(index), DesignRequest);
    const design = await readObject(episodes, keys.design(index, turn), Design);
    return { index, judged: { request, design, verdict } };
  }
  return { index, judged: null };
}

/** Tokens of the judged answers, for the ledger; hints and lost designs are not counted. */
export function designUsage(designs: readonly PlannedDesign[]): Record<string, number> {
  const tokens = designs.flatMap(({ judged }) => (judged === null ? [] : [judged.design.tokens]));
  return {
    requests: tokens.length,
    promptTokens: tokens.reduce((total, { promptTokenIds }) => total + promptTokenIds.length, 0),
    completionTokens: tokens.reduce((total, { tokenIds }) => total + tokenIds.length, 0),
  };
}
