import { type EnvironmentCard, type ExperimentConfig, environmentKeys } from '../../shared/contracts/index.ts';
import { canonicalJson } from '../../shared/domain/canonical-json.ts';
import { bucketKeys } from '../../shared/domain/near-duplicates.ts';
import type { Memory, Stores } from '../../shared/ports/index.ts';
import type { AdmittedDesign } from './admit-designs.ts';

/** What is kept of an environment: its card, its source as it was judged, and its hint. */
export interface KeptEnvironment {
  readonly card: EnvironmentCard;
  readonly source: string;
  readonly hint: string;
}

/** Stores an environment, its card last, and makes the memory know it. Repeating it changes nothing. */
export async function storeEnvironment(
  config: Pick<ExperimentConfig, 'experiment' | 'duplicates'>,
  { card, source, hint }: KeptEnvironment,
  deps: { readonly stores: Pick<Stores, 'environments'>; readonly memory: Pick<Memory, 'record' | 'index'> },
): Promise<void> {
  const { experiment } = config;
  const { hash, title, skill, syntaxHash, difficulty } = card;
  const { iteration } = card.provenance;
  const keys = environmentKeys(experiment, hash);
  await Promise.all([deps.stores.environments.put(keys.source, source), deps.stores.environments.put(keys.hint, hint)]);
  const entry = { environment: hash, title, skill, iteration, syntaxHash, difficulty, statistics: null, band: null };
  await deps.memory.record(experiment, entry);
  await deps.memory.index(experiment, hash, bucketKeys(card, config.duplicates), iteration);
  await deps.stores.environments.put(keys.card, `${canonicalJson(card)}\n`);
}

/** An admitted design as it is kept. */
export function keptDesign(
  config: Pick<ExperimentConfig, 'prompts'>,
  { hash, judged }: AdmittedDesign,
  versions: Readonly<Record<string, string>>,
): KeptEnvironment {
  const { source, hint } = judged.design;
  return { card: cardOf(config, hash, judged, versions), source, hint };
}

function cardOf(
  config: Pick<ExperimentConfig, 'prompts'>,
  hash: string,
  { request, design, verdict }: AdmittedDesign['judged'],
  versions: Readonly<Record<string, string>>,
): EnvironmentCard {
  return {
    hash,
    title: verdict.title,
    skill: request.skill,
    difficulty: request.difficulty,
    syntaxHash: verdict.syntaxHash,
    shingles: verdict.shingles,
    provenance: {
      experiment: request.experiment,
      iteration: request.iteration,
      designIndex: request.index,
      turn: design.turn,
      policyVersion: request.policyVersion,
      promptHash: design.promptHash,
      promptSet: config.prompts,
      corpusLine: request.document?.line ?? null,
      dependencies: { ...versions },
    },
    verdict,
  };
}
