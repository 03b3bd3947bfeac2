import { describe, expect, it } from 'vitest';
import { type Design, TrainingSample } from '../contracts/index.ts';
import { episodeFor } from './testing.ts';
import { agentSamples, designerSamples, toJsonLines } from './training-batch.ts';

const options = { kind: 'mean-centred', planned: 2, minimumFraction: 0.5 } as const;
const sequence = { tokenIds: [1, 2, 3], mask: [0, 1, 1] as (0 | 1)[], logprobs: [0, -0.5, -0.25] };

const design: Design = {
  experiment: 'test',
  iteration: 3,
  index: 5,
  turn: 0,
  source: 'class AEnv: ...',
  parse: 'bare',
  text: 'class AEnv: ...',
  finishReason: 'stop',
  tokens: { promptTokenIds: [4, 4], tokenIds: [5, 6], logprobs: [-1, -2] },
  hint: '',
  promptHash: 'p',
};
const rewarded = { design, skill: 'Optimization', advantage: 2, policyVersion: 1, temperature: 0.6 };

describe('agentSamples', () => {
  it('trains the unhinted played episodes alone, each against the group', () => {
    const episodes = [
      episodeFor('hinted', 0, 1),
      episodeFor('unhinted', 0, 1),
      episodeFor('unhinted', 1, 0),
      episodeFor('unhinted', 2, 'env_fault'),
    ];
    const { samples } = agentSamples(episodes, options);
    expect(samples.map((s) => [s.id.split('/').slice(2).join('/'), s.advantage, s.weight])).toEqual([
      ['unhinted/0/0', 0.5, 1],
      ['unhinted/1/0', -0.5, 1],
    ]);
    for (const sample of samples) expect(TrainingSample.parse(sample)).toEqual(sample);
  });

  it('gives an episode in two sequences half the weight each', () => {
    const split = episodeFor('unhinted', 0, 1, { sequences: [sequence, sequence] });
    const { samples } = agentSamples([split, episodeFor('unhinted', 1, 0)], options);
    expect(samples.map((s) => s.weight)).toEqual([0.5, 0.5, 1]);
  });

  it('says why a group teaches nothing', () => {
    const equal = [episodeFor('unhinted', 0, 1), episodeFor('unhinted', 1, 1)];
    expect(agentSamples(equal, options)).toEqual({ group: { kept: false, reason: 'zero-spread' }, samples: [] });
    expect(agentSamples([episodeFor('unhinted', 0, 1)], options).group).toEqual({ kept: false, reason: 'short' });
  });
});

describe('designerSamples', () => {
  it('takes tokens and log-probs as they were sampled', () => {
    const samples = designerSamples([rewarded]);
    expect(samples).toEqual([
      {
        id: '3/design/5',
        role: 'designer',
        group: 'Optimization',
        tokenIds: [4, 4, 5, 6],
        mask: [0, 0, 1, 1],
        logprobs: [0, 0, -1, -2],
        advantage: 2,
        weight: 1,
        temperature: 0.6,
        policyVersion: 1,
      },
    ]);
    expect(TrainingSample.parse(samples[0])).toEqual(samples[0]);
  });

  it('never trains a repair turn, an advantage of 0, or a design without tokens', () => {
    const silent = { ...design, tokens: { promptTokenIds: [4], tokenIds: [], logprobs: [] } };
    expect(
      designerSamples([
        { ...rewarded, design: { ...design, turn: 1 } },
        { ...rewarded, advantage: 0 },
        { ...rewarded, design: silent },
      ]),
    ).toEqual([]);
  });
});

describe('toJsonLines', () => {
  it('is one object a line', () => {
    const text = toJsonLines([...designerSamples([rewarded]), ...designerSamples([rewarded])]);
    expect(text.endsWith('\n')).toBe(true);
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(['3/design/5', '3/design/5']);
  });
});
