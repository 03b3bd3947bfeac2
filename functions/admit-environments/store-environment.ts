import { type EnvironmentCard, type ExperimentConfig, environmentKeys } from '../../shared/contracts/index.ts';
import { canonicalJson } from '../../shared/domain/canonical-json.ts';
import { bucketKeys } from '../../shared/domain/near-duplicates.ts';
import type { Memory, Stores } from '../../shared/ports/index.ts';
import type { AdmittedDesign } from './admit-designs.ts';
import type { JudgedDesign } from './judged-designs.ts';

/** Stores an environment (source as it was judged, hint, card) and makes the memory know it. Repeating it changes nothing. */
export async function storeEnvironment(
  config: ExperimentConfig,
  { hash, judged }: AdmittedDesign,
  deps: {
    readonly stores: Pick<Stores, 'environments'>;
    readonly memory: Pick<Memory, 'record' | 'index'>;
    readonly versions: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { experiment } = config;
  const { request, design, verdict } = judged;
  const keys = environmentKeys(experiment, hash);
  const card = cardOf(config, hash, judged, deps.versions);
  await Promise.all([
    deps.stores.environments.put(keys.source, design.source),
    deps.stores.environments.put(keys.hint, design.hint),
    deps.stores.environments.put(keys.card, `${canonicalJson(card)}\n`),
  ]);
  await deps.memory.record(experiment, {
    environment: hash,
    title: verdict.title,
    skill: request.skill,
    iteration: request.iteration,
    syntaxHash: verdict.syntaxHash,
    difficulty: request.difficulty,
    statistics: null,
    band: null,
  });
  await deps.memory.index(experiment, hash, bucketKeys(verdict, config.duplicates), request.iteration);
}

function cardOf(
  config: ExperimentConfig,
  hash: string,
  { request, design, verdict }: JudgedDesign,
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
