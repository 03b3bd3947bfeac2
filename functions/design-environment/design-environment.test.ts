import { beforeEach, describe, expect, it } from 'vitest';
import { Design, iterationKeys, PolicyUnavailable, PromptTooLong } from '../../shared/contracts/index.ts';
import type { Completion, CompletionRequest, Policy } from '../../shared/ports/index.ts';
import { type MemoryStores, memoryStores } from '../testing/memory-store.ts';
import {
  begin,
  EXPERIMENT,
  experiment,
  INPUT,
  LEVEL_TWO,
  putJson,
  readJson,
  refused,
  UNSEEN,
} from '../testing/objects.ts';
import { strict } from '../testing/strict.ts';
import { designEnvironment } from './design-environment.ts';

const PROGRAM = 'import random\n\nclass CoinEnv:\n    pass\n';
const keys = iterationKeys(EXPERIMENT, 1);

/** A policy that answers from a list and remembers what it was asked. */
function scripted(answers: readonly (string | Error)[]) {
  const asked: CompletionRequest[] = [];
  const policy = strict<Policy>('policy', {
    complete: async (request): Promise<Completion> => {
      const answer = answers[asked.length];
      asked.push(request);
      if (answer === undefined) throw new Error('asked more often than the test expects');
      if (answer instanceof Error) throw answer;
      return { text: answer, finishReason: 'stop', promptTokenIds: [1], tokenIds: [2, 3], logprobs: [-1, -2] };
    },
  });
  return { policy, asked };
}

describe('designEnvironment', () => {
  let stores: MemoryStores;
  const input = { ...INPUT, index: 0, turn: 0 };
  const stored = (turn = 0) => Design.parse(readJson(stores.episodes, keys.design(0, turn)));
  beforeEach(async () => {
    stores = memoryStores();
    await begin(stores, experiment());
    await putJson(stores.episodes, keys.designRequest(0), {
      experiment: EXPERIMENT,
      iteration: 1,
      index: 0,
      setting: 'games',
      skill: 'Optimization',
      difficulty: LEVEL_TWO,
      document: { line: 1, text: 'a document' },
      examples: [],
      titles: [],
      seed: 5,
      policyVersion: 0,
    });
  });

  it('stores program, tokens and a hint of at most three sentences, sampled by seeds of their own', async () => {
    const { policy, asked } = scripted([PROGRAM, 'One. Two. Three. Four.']);
    expect(await designEnvironment(input, { stores, policy, progress: UNSEEN })).toEqual({ index: 0, turn: 0 });
    expect(stored()).toMatchObject({ parse: 'bare', hint: 'One. Two. Three.', finishReason: 'stop' });
    expect(stored().source).toContain('class CoinEnv');
    expect(stored().tokens).toEqual({ promptTokenIds: [1], tokenIds: [2, 3], logprobs: [-1, -2] });
    expect(asked.map(({ model }) => model)).toEqual(['test-v0000', 'test-v0000']);
    expect(asked[0]?.seed).not.toBe(asked[1]?.seed);
    expect(asked[1]?.messages.at(-1)?.content).toContain('class CoinEnv');
  });

  it('asks the policy for nothing when the design is there', async () => {
    await designEnvironment(input, { stores, policy: scripted([PROGRAM, 'Hint.']).policy, progress: UNSEEN });
    await designEnvironment(input, { stores, policy: strict<Policy>('policy', {}), progress: UNSEEN });
  });

  it('asks for no hint when the text holds no program', async () => {
    const { policy, asked } = scripted(['I cannot do that.']);
    await designEnvironment(input, { stores, policy, progress: UNSEEN });
    expect(asked).toHaveLength(1);
    expect(stored()).toMatchObject({ source: '', parse: 'none', hint: '' });
  });

  it('has no hint when the program does not fit the hint prompt', async () => {
    const { policy } = scripted([PROGRAM, new PromptTooLong('http://p', '9 of 8 tokens')]);
    await designEnvironment(input, { stores, policy, progress: UNSEEN });
    expect(stored()).toMatchObject({ hint: '' });
  });

  it('stores nothing when the policy is down', async () => {
    const { policy } = scripted([PROGRAM, new PolicyUnavailable('http://p', 'refused')]);
    await expect(designEnvironment(input, { stores, policy, progress: UNSEEN })).rejects.toThrow(PolicyUnavailable);
    expect(await stores.episodes.exists(keys.design(0, 0))).toBe(false);
  });

  it('answers the verdict in its repair turn, after the refused text', async () => {
    await designEnvironment(input, { stores, policy: scripted([PROGRAM, 'Hint.']).policy, progress: UNSEEN });
    await putJson(stores.episodes, keys.verdict(0, 0), refused());
    const { policy, asked } = scripted([PROGRAM.replace('Coin', 'Fair'), 'Hint.']);
    await designEnvironment({ ...input, turn: 1 }, { stores, policy, progress: UNSEEN });
    const [first] = asked;
    expect(first?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: PROGRAM },
      { role: 'user', content: expect.stringContaining('degenerate.always_win') },
    ]);
    expect(stored(1).source).toContain('FairEnv');
    expect(stored(0).source).toContain('CoinEnv');
  });
});
