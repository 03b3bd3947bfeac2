import { describe, expect, it } from 'vitest';
import { isSecretOnly, unshownAnswer } from './secret-only.ts';
import { scoredEpisode } from './statistics.ts';
import { episodeFor } from './testing.ts';

const turn = (observation: string, text: string, reward: number) => ({
  observation,
  text,
  finishReason: 'stop' as const,
  reward,
});

/** Twelve seeds in both arms, all won with the hint and none without it. */
function game(observation: (seed: number) => string, answer: (seed: number) => string) {
  return Array.from({ length: 12 }, (_, index) => [
    episodeFor('hinted', index, 1, { turns: [turn(observation(index), `I say \\boxed{${answer(index)}}`, 1)] }),
    episodeFor('unhinted', index, 0, { turns: [turn(observation(index), '\\boxed{hello}', 0)] }),
  ])
    .flat()
    .map(scoredEpisode);
}

const password = game(
  () => 'Say the word.',
  () => ' Xyzzy ',
);

describe('isSecretOnly', () => {
  it('sees a word that only the hint tells', () => {
    expect(isSecretOnly(password, 0.5)).toBe(true);
  });

  it('acquits a game whose answer follows from its seed', () => {
    const sums = game(
      (seed) => `Add ${seed} and 7.`,
      (seed) => String(seed + 7),
    );
    expect(isSecretOnly(sums, 0.5)).toBe(false);
  });

  it('acquits a game that shows the winning answer among others', () => {
    const choice = game(
      () => 'Take one: LEFT or right?',
      () => 'left',
    );
    expect(isSecretOnly(choice, 0.5)).toBe(false);
  });

  it('acquits where the hint does not always help, or somebody wins without it', () => {
    const once = (arm: 'hinted' | 'unhinted', result: number) =>
      password.map((episode) =>
        episode.arm === arm && episode.index === 0 ? { ...episode, return: result } : episode,
      );
    expect(isSecretOnly(once('hinted', 0), 0.5)).toBe(false);
    expect(isSecretOnly(once('unhinted', 1), 0.5)).toBe(false);
  });

  it('says nothing of few episodes, of one arm alone, or of episodes without a turn', () => {
    const hintedAlone = password.filter(({ arm }) => arm === 'hinted');
    const turnless = password.map(({ unshownAnswer: _, ...rest }) => rest);
    for (const episodes of [password.slice(0, 16), hintedAlone, turnless]) {
      expect(isSecretOnly(episodes, 0.5)).toBe(false);
    }
  });
});

describe('unshownAnswer', () => {
  it.each([
    ['Say it.', 'so \\boxed{ABC} ', 'abc'],
    ['Say it.', ' A word ', 'a word'],
    ['Say abc.', '\\boxed{ABC}', null],
    ['Say it.', '', null],
  ])('of %j answered %j is %j', (observation, text, expected) => {
    expect(unshownAnswer([turn(observation, text, 1)])).toBe(expected);
  });

  it('is bounded, and null without a turn', () => {
    expect(unshownAnswer([turn('Say it.', 'x'.repeat(100_000), 1)])).toHaveLength(200);
    expect(unshownAnswer([])).toBeNull();
  });
});
