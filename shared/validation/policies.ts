import type { Rng } from '../domain/seeds.ts';
import type { ValidationInput } from './types.ts';

type Setting = ValidationInput['setting'];

/**
 * A player that understands nothing. `nonsense` never deserves to win; `chance` may be lucky now and then and is suspicious
 * only when it always wins.
 */
export interface TrivialPolicy {
  readonly name: string;
  readonly kind: 'nonsense' | 'chance';
  readonly act: (observation: string, rng: Rng) => string;
}

const LONG_GARBAGE = 2000;
const TOKEN = /-?\d+(?:\.\d+)?|\p{L}[\p{L}\p{N}_-]*/gu;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const MAX_TOKENS = 400;

/** The form in which an action carries its answer in a setting (M4). */
export function wrapAnswer(setting: Setting, answer: string): string {
  return setting === 'games' ? `\\boxed{${answer}}` : `<answer>${answer}</answer>`;
}

/** Words and numbers of a text, in order, at most 400. */
export function tokensOf(text: string): string[] {
  return (text.slice(0, 10_000).match(TOKEN) ?? []).slice(0, MAX_TOKENS);
}

function garbage(rng: Rng, length: number): string {
  return Array.from({ length }, () => LETTERS[rng.int(LETTERS.length)]).join('');
}

/** A number or a word that the observation offers, or a small number when it offers none. */
export function guess(observation: string, rng: Rng): string {
  const tokens = tokensOf(observation);
  if (tokens.length === 0 || rng.next() < 0.3) return String(rng.int(20));
  return rng.pick(tokens);
}

/** Claims that all is done without having done anything: what ends a tool-use program that checks nothing. */
const CLAIM: TrivialPolicy = { name: 'claim', kind: 'nonsense', act: () => '<answer>done</answer>' };

/** The panel: empty, echo, constant, random and garbage. */
export function trivialPolicies(setting: Setting): readonly TrivialPolicy[] {
  const wrap = (answer: string) => wrapAnswer(setting, answer);
  return [
    { name: 'empty', kind: 'nonsense', act: () => '' },
    { name: 'empty answer', kind: 'nonsense', act: () => wrap('') },
    { name: 'garbage', kind: 'nonsense', act: (_, rng) => garbage(rng, 12) },
    { name: 'garbage answer', kind: 'nonsense', act: (_, rng) => wrap(garbage(rng, 12)) },
    { name: 'long garbage', kind: 'nonsense', act: (_, rng) => wrap(garbage(rng, LONG_GARBAGE)) },
    ...(setting === 'tool-use' ? [CLAIM] : []),
    { name: 'echo', kind: 'chance', act: (observation) => wrap(observation) },
    { name: 'constant', kind: 'chance', act: () => wrap('1') },
    { name: 'guess', kind: 'chance', act: (observation, rng) => wrap(guess(observation, rng)) },
  ];
}

/** Answers that honest programs meet from a confused or cut-off model (catalogue E14). */
export function oddActions(setting: Setting): readonly string[] {
  const wrap = (answer: string) => wrapAnswer(setting, answer);
  return [
    '',
    ' \n\t',
    'x'.repeat(100_000),
    wrap(''),
    wrap(wrap('1')),
    '\\boxed{1',
    'boxed}{',
    wrap('1\u00002'),
    wrap('9'.repeat(1000)),
    wrap('²'),
    wrap('٣'),
    wrap('-1'),
    wrap('1.5e400'),
    wrap('nan'),
    wrap('1, 2; 3 | [4] {5}'),
    '<tool_call>{"name": 1}</tool_call>',
    '<tool_call>not json</tool_call><answer></answer>',
  ];
}
