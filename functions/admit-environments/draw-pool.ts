import {
  type Admission,
  EnvironmentCard,
  type ExperimentConfig,
  environmentKeys,
  InvalidInput,
} from '../../shared/contracts/index.ts';
import { deriveSeed, rng } from '../../shared/domain/seeds.ts';
import type { Store } from '../../shared/ports/index.ts';
import { findObject } from '../objects.ts';
import { drawSkills } from '../plan-iteration/design-requests.ts';

/**
 * The environments of a window where nothing is designed (M30): imported ones of the window's skills, drawn by seed. Only as many cards are
 * read as it takes to find them.
 * @throws {InvalidInput} when the experiment holds no imported environment of these skills
 */
export async function drawPool(
  config: ExperimentConfig,
  windowStart: number,
  environments: Store,
): Promise<Admission['environments']> {
  const { experiment, seed, designer } = config;
  const skills = drawSkills(config, windowStart);
  const hashes = await storedHashes(experiment, environments);
  const drawn: EnvironmentCard[] = [];
  for (const hash of rng(deriveSeed(seed, experiment, windowStart, 'pool')).shuffle(hashes)) {
    if (drawn.length === designer.environments) break;
    const card = await findObject(environments, environmentKeys(experiment, hash).card, EnvironmentCard);
    if (card !== null && 'pool' in card.provenance && skills.includes(card.skill)) drawn.push(card);
  }
  if (drawn.length === 0)
    throw new InvalidInput('designer.source', [
      `no imported environment of ${skills.join(', ')}; "spade import" brings some`,
    ]);
  return drawn.map(({ hash, skill, title, difficulty }, designIndex) => ({
    ...{ hash, designIndex, turn: 0, skill, title, difficulty },
  }));
}

async function storedHashes(experiment: string, environments: Store): Promise<string[]> {
  const keys = await environments.list(`${experiment}/`);
  return [...new Set(keys.flatMap((key) => /\/([0-9a-f]{64})\/card\.json$/.exec(key)?.[1] ?? []))].sort();
}
