import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenSequence } from '../contracts/index.ts';
import { mergeTurns } from './token-records.ts';

describe('mergeTurns', () => {
  it('merges a turn whose prompt starts with all that went before', () => {
    const merged = mergeTurns([
      { promptTokenIds: [1, 2], tokenIds: [7, 8], logprobs: [-0.1, -0.2] },
      { promptTokenIds: [1, 2, 7, 8, 3], tokenIds: [9], logprobs: [-0.3] },
    ]);
    expect(merged).toEqual([
      { tokenIds: [1, 2, 7, 8, 3, 9], mask: [0, 0, 1, 1, 0, 1], logprobs: [0, 0, -0.1, -0.2, 0, -0.3] },
    ]);
  });

  it('keeps turns apart when the template changed what the sampler had said', () => {
    const merged = mergeTurns([
      { promptTokenIds: [1], tokenIds: [7, 8], logprobs: [-0.1, -0.2] },
      { promptTokenIds: [1, 78, 3], tokenIds: [9], logprobs: [-0.3] },
    ]);
    expect(merged.map((sequence) => sequence.tokenIds)).toEqual([
      [1, 7, 8],
      [1, 78, 3, 9],
    ]);
  });

  it('merges with the latest sequence again after a break', () => {
    const merged = mergeTurns([
      { promptTokenIds: [1], tokenIds: [2], logprobs: [-1] },
      { promptTokenIds: [5], tokenIds: [6], logprobs: [-1] },
      { promptTokenIds: [5, 6, 7], tokenIds: [8], logprobs: [-1] },
    ]);
    expect(merged.map((sequence) => sequence.tokenIds)).toEqual([
      [1, 2],
      [5, 6, 7, 8],
    ]);
  });

  it('leaves out turns without sampled tokens', () => {
    expect(mergeTurns([{ promptTokenIds: [1], tokenIds: [], logprobs: [] }])).toEqual([]);
  });

  it('keeps every sampled token and its log-prob once and in order, whatever the turns', () => {
    const ids = fc.array(fc.nat(3), { maxLength: 6 });
    const turn = fc.record({ extends: fc.boolean(), prompt: ids, sampled: ids });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 6 }), (plan) => {
        let history: number[] = [];
        const turns = plan.map(({ extends: grows, prompt, sampled }) => {
          const promptTokenIds = grows ? [...history, ...prompt] : prompt;
          history = [...promptTokenIds, ...sampled];
          return { promptTokenIds, tokenIds: sampled, logprobs: sampled.map((_, i) => -i - 1) };
        });
        const merged = mergeTurns(turns);
        for (const sequence of merged) expect(TokenSequence.safeParse(sequence).success).toBe(true);
        const kept = merged.flatMap((s) =>
          s.tokenIds.flatMap((id, i) => (s.mask[i] === 1 ? [[id, s.logprobs[i]]] : [])),
        );
        expect(kept).toEqual(turns.flatMap((t) => t.tokenIds.map((id, i) => [id, t.logprobs[i]])));
      }),
    );
  });
});
