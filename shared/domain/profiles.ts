import type { ExperimentConfig } from '../contracts/index.ts';
import { QWEN_PROFILES } from './profiles/qwen.ts';
import { TINY_PROFILE } from './profiles/tiny.ts';

export type ProfileName = ExperimentConfig['profile'];

/** Every value that an experiment file may leave out; only the experiment's name comes from the file. */
export type Profile = Omit<ExperimentConfig, 'experiment'>;

/** The values that a profile supplies. */
export function profileOf(name: ProfileName): Profile {
  return name === 'tiny' ? TINY_PROFILE : QWEN_PROFILES[name];
}
