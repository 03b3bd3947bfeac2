import type { ExperimentConfig } from '../contracts/index.ts';
import standard from '../prompts/standard.json' with { type: 'json' };
import standardToolUse from '../prompts/standard-tool-use.json' with { type: 'json' };
import tiny from '../prompts/tiny.json' with { type: 'json' };
import type { PromptSet } from './prompts.ts';

/**
 * The prompt set of an experiment. The sets are data in `shared/prompts`, imported so that a bundle carries them; a test parses
 * each with {@link PromptSet}'s schema. The embedded policy knows games only, so `tiny` serves both settings.
 */
export function promptSet(config: Pick<ExperimentConfig, 'prompts' | 'setting'>): PromptSet {
  if (config.prompts === 'tiny') return tiny;
  return config.setting === 'tool-use' ? standardToolUse : standard;
}
