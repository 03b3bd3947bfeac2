import { describe, expect, it } from 'vitest';
import { announces, leaksIntoHint, leaksIntoObservation, mentions, spellsOut } from './leaks.ts';

const solved = (...pairs: [observation: string, answer: string][]) =>
  pairs.map(([observation, answer]) => ({ observation, answer }));

describe('mentions', () => {
  it.each([
    ['take 7 coins', '7', true],
    ['take 17 coins', '7', false],
    ['The Red door', 'red', true],
    ['redder', 'red', false],
    ['cost (3+4)*2', '(3+4)*2', true],
    ['anything', '', false],
  ])('%j, %j: %s', (text, answer, expected) => {
    expect(mentions(text, answer)).toBe(expected);
  });
});

describe('announces', () => {
  it.each([
    ['The secret number is 42.', '42', true],
    ['Answer: 42', '42', true],
    ['the answer is "blue"', 'blue', true],
    ['Guess a number below 42', '42', false],
    ['Answer "Yes" or "No"', 'Yes', false],
    ['answer yes/no', 'yes', false],
    ['The answer is 42, so guess it', '42', true],
    ['Numbers: 42 17 3', '42', false],
  ])('%j, %j: %s', (text, answer, expected) => {
    expect(announces(text, answer)).toBe(expected);
  });
});

describe('leaksIntoObservation', () => {
  it('needs most seeds', () => {
    const told = (n: number): [string, string] => [`the secret is ${n}`, String(n)];
    expect(leaksIntoObservation(solved(told(1), told(2), told(3), ['guess', '4']))).toBe(true);
    expect(leaksIntoObservation(solved(told(1), ['guess', '2'], ['guess', '3'], ['guess', '4']))).toBe(false);
  });

  it('does not take the form of an answer for the answer', () => {
    const form = 'Answer: left, right, up, down.';
    expect(leaksIntoObservation(solved([form, 'left'], [form, 'right'], [form, 'left'], [form, 'up']))).toBe(false);
  });

  it('says nothing about a single solved seed', () => {
    expect(leaksIntoObservation(solved(['the secret is 1', '1']))).toBe(false);
  });
});

describe('leaksIntoHint', () => {
  it('sees the answers that the hint names', () => {
    expect(leaksIntoHint(solved(['guess', 'kite'], ['guess', 'kite']), 'it is always kite')).toBe(true);
  });

  it('lets the hint name options that every first observation offers', () => {
    expect(leaksIntoHint(solved(['yes or no?', 'yes'], ['no or yes?', 'no']), 'answer yes or no after counting')).toBe(
      false,
    );
  });

  it('lets a strategy pass', () => {
    expect(leaksIntoHint(solved(['sum 1 2', '3'], ['sum 2 2', '4']), 'keep a running total')).toBe(false);
  });
});

describe('spellsOut', () => {
  const won = (...sequences: string[][]) => sequences.map((actions) => ({ observation: 'go', actions }));
  const same = won(['left', 'up', 'left'], ['left', 'up', 'left']);

  it('sees a sequence in its order, whatever stands between', () => {
    expect(spellsOut(same, 'Go left, then up, and then left.')).toBe(true);
    expect(spellsOut(same, 'left up left')).toBe(true);
  });

  it('lets a hint name the moves', () => {
    expect(spellsOut(same, 'You can go up or left; count the walls.')).toBe(false);
    expect(spellsOut(won(['left', 'up'], ['up', 'left']), 'Often left, up wins.')).toBe(false);
    expect(spellsOut(same.slice(1), 'left, up, left')).toBe(false);
  });
});
