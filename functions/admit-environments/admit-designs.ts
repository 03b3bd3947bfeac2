import {
  type Admission,
  EnvironmentCard,
  type ExperimentConfig,
  environmentKeys,
} from '../../shared/contracts/index.ts';
import { environmentHash } from '../../shared/domain/canonical-json.ts';
import { bucketKeys, judgeDuplicate, type SyntaxFingerprint } from '../../shared/domain/near-duplicates.ts';
import type { Memory, Stores } from '../../shared/ports/index.ts';
import { findObject } from '../objects.ts';
import type { JudgedDesign, PlannedDesign } from './judged-designs.ts';

/** A design that becomes an environment. */
export interface AdmittedDesign {
  readonly hash: string;
  readonly judged: JudgedDesign;
}

/** Reason of a design that has no verdict: the host lost it, so it says nothing about the designer. */
export const LOST = 'lost';

/** Who may play, and why each of the others may not. */
export interface AdmissionDecision {
  readonly admitted: readonly AdmittedDesign[];
  readonly refused: Admission['refused'];
}

/**
 * Judges designs one by one: the verdict first, then near-duplicates (M15) of what the memory knew before this iteration and of what
 * was admitted earlier in this list.
 */
export async function admitDesigns(
  config: ExperimentConfig,
  iteration: number,
  designs: readonly PlannedDesign[],
  deps: { readonly memory: Pick<Memory, 'candidates'>; readonly stores: Pick<Stores, 'environments'> },
): Promise<AdmissionDecision> {
  const remembered = await Promise.all(
    designs.map(({ judged }) =>
      judged?.verdict.accepted ? rememberedNeighbours(config, iteration, judged.verdict, deps) : [],
    ),
  );
  const admitted: AdmittedDesign[] = [];
  const refused: Admission['refused'] = [];
  designs.forEach(({ index, judged }, position) => {
    const neighbours = [...(remembered[position] ?? []), ...admitted.map((environment) => environment.judged.verdict)];
    const refusal = reasonToRefuse(judged, neighbours, config);
    if (refusal !== null) refused.push({ designIndex: index, ...refusal });
    else if (judged !== null) admitted.push({ hash: environmentHash(judged.design.source), judged });
  });
  return { admitted, refused };
}

function reasonToRefuse(
  judged: JudgedDesign | null,
  neighbours: readonly SyntaxFingerprint[],
  config: ExperimentConfig,
): { reason: string; detail: string } | null {
  if (judged === null) return { reason: LOST, detail: 'no verdict was reached' };
  const { verdict } = judged;
  if (!verdict.accepted) return { reason: verdict.reason ?? LOST, detail: verdict.detail };
  const twin = judgeDuplicate(verdict, neighbours, config.duplicates);
  return twin.duplicate
    ? { reason: 'duplicate', detail: `${twin.kind}, similarity ${twin.similarity.toFixed(2)}` }
    : null;
}

/** Fingerprints of environments of iterations before this one that share a bucket with a program; a bounded look-up. */
export async function rememberedNeighbours(
  config: Pick<ExperimentConfig, 'experiment' | 'duplicates'>,
  beforeIteration: number,
  program: SyntaxFingerprint,
  deps: { readonly memory: Pick<Memory, 'candidates'>; readonly stores: Pick<Stores, 'environments'> },
): Promise<SyntaxFingerprint[]> {
  const { experiment } = config;
  const hashes = await deps.memory.candidates(experiment, bucketKeys(program, config.duplicates), beforeIteration);
  const cards = hashes.map((hash) =>
    findObject(deps.stores.environments, environmentKeys(experiment, hash).card, EnvironmentCard),
  );
  return (await Promise.all(cards)).filter((card) => card !== null);
}
