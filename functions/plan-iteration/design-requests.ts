import type { DesignRequest, ExperimentConfig } from '../../shared/contracts/index.ts';
import { askedLevels } from '../../shared/domain/difficulty.ts';
import { deriveSeed, rng } from '../../shared/domain/seeds.ts';
import type { Memory, Progress, Stores } from '../../shared/ports/index.ts';
import { difficultyOf, inherited } from '../previous-scores.ts';
import { openCorpus } from './documents.ts';
import { openMemory } from './memory-examples.ts';

/** What design requests are made from. */
export interface RequestDeps {
  readonly stores: Pick<Stores, 'episodes' | 'environments' | 'corpora'>;
  readonly memory: Pick<Memory, 'topByRegret' | 'recentTitles'>;
  readonly progress: Progress;
}

/**
 * What the designer is asked for in a new generation window: a function of configuration, seed and what earlier windows left. Skills
 * are drawn for the window and dealt in turn; each request has its own document, examples, levels and sampling seed.
 */
export async function designRequests(
  config: ExperimentConfig,
  iteration: number,
  policyVersion: number,
  deps: RequestDeps,
): Promise<DesignRequest[]> {
  const { experiment } = config;
  const skills = drawSkills(config, iteration);
  const [before, drawDocument, drawMemory] = await Promise.all([
    inherited(experiment, iteration, deps.stores.episodes),
    openCorpus(config, iteration, { corpora: deps.stores.corpora, progress: deps.progress }),
    openMemory(config, skills, iteration, deps),
  ]);
  const indices = Array.from({ length: config.designer.environments }, (_, index) => index);
  const request = async (index: number): Promise<DesignRequest> => {
    const skill = skills[index % skills.length] as string;
    const seedFor = (purpose: string) => deriveSeed(config.seed, experiment, iteration, 'design', index, purpose);
    return {
      experiment,
      iteration,
      index,
      setting: config.setting,
      skill,
      difficulty: askedLevels(difficultyOf(before, skill, config), rng(seedFor('levels'))),
      document: drawDocument(seedFor('document')),
      examples: await drawMemory.examples(skill, seedFor('examples')),
      titles: drawMemory.titles,
      seed: seedFor('sampling'),
      policyVersion,
    };
  };
  return Promise.all(indices.map(request));
}

/** Skills of the window (M16): `skillsPerWindow` of the experiment's, in the experiment's order. */
export function drawSkills(config: ExperimentConfig, windowStart: number): string[] {
  const seed = deriveSeed(config.seed, config.experiment, windowStart, 'skills');
  const drawn = new Set(rng(seed).sample(config.skills, config.skillsPerWindow));
  return config.skills.filter((skill) => drawn.has(skill));
}
