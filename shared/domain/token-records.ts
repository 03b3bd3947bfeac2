import type { SampledTokens, TokenSequence } from '../contracts/index.ts';

/** What {@link mergeTurns} reads of a turn: the prompt's ids, the sampled ids and their log-probs. */
export type TurnTokens = {
  readonly [K in 'promptTokenIds' | 'tokenIds' | 'logprobs']: Readonly<SampledTokens[K]>;
};

/**
 * Turns of one conversation as training sequences (M22). A turn is merged into the sequence before it only when its prompt starts
 * with that sequence's ids, token by token; else (a template that drops earlier thinking, a re-tokenised text) a new
 * sequence starts. Ids are never re-tokenised. Mask 1 and a log-prob stand exactly where the sampler chose the token; 0 elsewhere.
 *
 * Turns without sampled tokens train nothing and are left out.
 */
export function mergeTurns(turns: readonly TurnTokens[]): TokenSequence[] {
  const sequences: { tokenIds: number[]; mask: (0 | 1)[]; logprobs: number[] }[] = [];
  for (const turn of turns) {
    if (turn.tokenIds.length === 0) continue;
    const open = sequences.at(-1);
    const target = open !== undefined && startsWith(turn.promptTokenIds, open.tokenIds) ? open : newSequence(sequences);
    const given = turn.promptTokenIds.slice(target.tokenIds.length);
    for (const id of given) append(target, id, 0, 0);
    turn.tokenIds.forEach((id, position) => {
      append(target, id, 1, turn.logprobs[position] ?? 0);
    });
  }
  return sequences;
}

type Open = { tokenIds: number[]; mask: (0 | 1)[]; logprobs: number[] };

function newSequence(sequences: Open[]): Open {
  const sequence: Open = { tokenIds: [], mask: [], logprobs: [] };
  sequences.push(sequence);
  return sequence;
}

function append(sequence: Open, id: number, mask: 0 | 1, logprob: number): void {
  sequence.tokenIds.push(id);
  sequence.mask.push(mask);
  sequence.logprobs.push(logprob);
}

function startsWith(ids: readonly number[], prefix: readonly number[]): boolean {
  return prefix.length <= ids.length && prefix.every((id, position) => ids[position] === id);
}
