import type { Design, Episode, TokenSequence, TrainingSample } from '../contracts/index.ts';
import { type GroupAdvantages, type GroupOptions, groupAdvantages } from './advantages.ts';
import { mergeTurns } from './token-records.ts';

/** The episodes of one environment in one iteration that may teach the agent: played and unhinted (M2, §7). */
export function trainableEpisodes(episodes: readonly Episode[]): Episode[] {
  return episodes.filter((episode) => episode.arm === 'unhinted' && episode.outcome === 'played');
}

export interface AgentGroup {
  readonly group: GroupAdvantages;
  readonly samples: readonly TrainingSample[];
}

/**
 * Agent samples of one environment. The hinted arm never enters (M2). An episode kept in k sequences gives each the weight 1/k,
 * so that it counts once however its turns were merged.
 * @param episodes of one environment and one iteration, both arms
 */
export function agentSamples(episodes: readonly Episode[], options: GroupOptions): AgentGroup {
  const played = trainableEpisodes(episodes);
  const group = groupAdvantages(
    played.map((episode) => episode.return ?? Number.NaN),
    options,
  );
  if (!group.kept) return { group, samples: [] };
  const samples = played.flatMap((episode, position) => episodeSamples(episode, group.advantages[position] as number));
  return { group, samples };
}

function episodeSamples(episode: Episode, advantage: number): TrainingSample[] {
  const sequences = episode.sequences.filter(isTrainable);
  return sequences.map((sequence, part) => ({
    id: `${episode.iteration}/${episode.environment}/${episode.arm}/${episode.index}/${part}`,
    role: 'agent',
    group: episode.environment,
    ...sequence,
    advantage,
    weight: 1 / sequences.length,
    temperature: episode.sampler.temperature,
    policyVersion: episode.policyVersion,
  }));
}

/** A design of the window with its advantage; only turn 0 is ever a sample (method §5). */
export interface RewardedDesign {
  readonly design: Design;
  readonly skill: string;
  readonly advantage: number;
  readonly policyVersion: number;
  readonly temperature: number;
}

/** Designer samples of one window; designs without sampled tokens, or with advantage 0, teach nothing and are left out. */
export function designerSamples(designs: readonly RewardedDesign[]): TrainingSample[] {
  return designs.flatMap(({ design, skill, advantage, policyVersion, temperature }) => {
    if (design.turn !== 0 || advantage === 0) return [];
    return mergeTurns([design.tokens])
      .filter(isTrainable)
      .map((sequence) => ({
        id: `${design.iteration}/design/${design.index}`,
        role: 'designer' as const,
        group: skill,
        ...sequence,
        advantage,
        weight: 1,
        temperature,
        policyVersion,
      }));
  });
}

/** Sampled at least one token, after at least one that was given. */
function isTrainable(sequence: TokenSequence): boolean {
  return sequence.tokenIds.length >= 2 && sequence.mask[0] === 0 && sequence.mask.includes(1);
}

/** The batch as the trainer reads it: one JSON object a line, in the order given. */
export function toJsonLines(samples: readonly TrainingSample[]): string {
  return samples.map((sample) => `${JSON.stringify(sample)}\n`).join('');
}
