import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bareAnswer, isExecutable, solutionCandidates } from './solution-candidates.ts';

const text = (value: string) => ({ text: value, actions: null });

describe('solutionCandidates', () => {
  it('wraps a short answer in games, then tries it as it stands', () => {
    expect(solutionCandidates(text('42'), 'games')).toEqual([['\\boxed{42}'], ['42']]);
  });

  it('plays a list as a sequence', () => {
    expect(solutionCandidates({ text: 'a\nb', actions: ['a', 'b'] }, 'games')).toEqual([
      ['\\boxed{a}', '\\boxed{b}'],
      ['a', 'b'],
    ]);
  });

  it('takes marked parts as the actions', () => {
    expect(solutionCandidates(text('First \\boxed{\\frac{1}{2}}, then \\boxed{b}.'), 'games')).toEqual([
      ['\\boxed{\\frac{1}{2}}', '\\boxed{b}'],
    ]);
    expect(solutionCandidates(text('<tool_call>{"name":"f"}</tool_call><answer>x</answer>'), 'tool-use')).toEqual([
      ['<tool_call>{"name":"f"}</tool_call>', '<answer>x</answer>'],
    ]);
  });

  it('splits at semicolons and line ends', () => {
    expect(solutionCandidates(text('left ; right'), 'games')).toContainEqual(['\\boxed{left}', '\\boxed{right}']);
    expect(solutionCandidates(text('left\nright\n'), 'games')).toContainEqual(['\\boxed{left}', '\\boxed{right}']);
  });

  it('does not wrap what is marked already', () => {
    expect(solutionCandidates({ text: '', actions: ['\\boxed{a}', 'b'] }, 'games')[0]).toEqual([
      '\\boxed{a}',
      '\\boxed{b}',
    ]);
  });

  it('gives at most four sequences, none empty, for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('games' as const, 'tool-use' as const), (value, setting) => {
        const candidates = solutionCandidates(text(value), setting);
        expect(candidates.length).toBeLessThanOrEqual(4);
        expect(candidates.every((candidate) => candidate.length > 0)).toBe(true);
      }),
    );
  });
});

describe('isExecutable', () => {
  it.each([
    ['42', true],
    ['N E E S', true],
    ['a ; b', true],
    ['\\boxed{7} because seven is prime, and so on and so forth for a long while', true],
    ['Keep a running total and answer with it.', false],
    ['First sort the list, then take the middle of what is left over there', false],
    ['one\ntwo', false],
  ])('%j: %s', (value, expected) => {
    expect(isExecutable(text(value))).toBe(expected);
  });

  it('holds for every list', () => {
    expect(isExecutable({ text: 'A long sentence.', actions: ['A long sentence.'] })).toBe(true);
  });
});

describe('bareAnswer', () => {
  it.each([
    ['\\boxed{ 42 }', '42'],
    ['<answer>x</answer>', 'x'],
    ['plain', 'plain'],
  ])('%j → %j', (action, answer) => {
    expect(bareAnswer(action)).toBe(answer);
  });
});
