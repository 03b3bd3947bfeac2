import type { ExperimentConfig } from '../contracts/index.ts';
import { deriveSeed, rng } from './seeds.ts';

/** Skills of the games setting (M16): the six of the released recipe, then three more. */
export const GAME_SKILLS = [
  'Mathematical Reasoning',
  'Logical Deduction',
  'Spatial Reasoning',
  'Pattern Recognition',
  'Optimization',
  'Causal Inference',
  'Strategic Planning',
  'Memory Recall',
  'Language Understanding',
] as const;

/** Skills of the tool-use setting (M16). */
export const TOOL_SKILLS = [
  'API Orchestration',
  'Data Retrieval',
  'State Modification',
  'Error Recovery',
  'Tool Selection',
  'Multi-Step Workflows',
] as const;

/** Skills drawn for the generation window that starts at an iteration, in the order of the configuration (M16). */
export function drawSkills(
  config: Pick<ExperimentConfig, 'experiment' | 'seed' | 'skills' | 'skillsPerWindow'>,
  windowStart: number,
): string[] {
  const random = rng(deriveSeed('skills', config.experiment, config.seed, windowStart));
  const drawn = new Set(random.sample(config.skills, config.skillsPerWindow));
  return config.skills.filter((skill) => drawn.has(skill));
}

/** Skill of the n-th design of a window: the drawn skills take turns, so that each gets the same share within one. */
export function skillOfDesign(skills: readonly string[], index: number): string {
  return skills[index % skills.length] as string;
}
