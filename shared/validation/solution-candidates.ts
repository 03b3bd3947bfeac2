import { wrapAnswer } from './policies.ts';
import type { ValidationInput } from './types.ts';

/** A declared solution as `solution()` returned it: an action sequence, or a text. */
export interface DeclaredSolution {
  readonly text: string;
  readonly actions: readonly string[] | null;
}

const MARKED_PARTS = /\\boxed\{(?:[^{}]|\{[^{}]*\})*\}|<tool_call>[\s\S]*?<\/tool_call>|<answer>[\s\S]*?<\/answer>/g;
const SHORT_ANSWER_CHARACTERS = 64;
const SHORT_ANSWER_WORDS = 8;
const MAX_CANDIDATES = 4;

/**
 * Action sequences that a declared solution may stand for, most likely first.
 *
 * One rule: a list is a sequence; a text with `\boxed{…}`, `<tool_call>` or `<answer>` parts is those parts; otherwise
 * ` ; ` or line ends separate actions. In games each is tried wrapped in `\boxed{}` first, then as it stands.
 */
export function solutionCandidates(solution: DeclaredSolution, setting: ValidationInput['setting']): string[][] {
  const marked = solution.text.match(MARKED_PARTS);
  if (solution.actions === null && marked !== null) return [[...marked]];
  const sequences =
    solution.actions !== null ? [[...solution.actions]] : [[solution.text.trim()], ...splittings(solution.text)];
  const wrapped = (action: string) => (MARKED_PARTS.test(action) ? action : wrapAnswer(setting, action));
  const candidates = sequences.flatMap((sequence) => [sequence.map(wrapped), sequence]);
  MARKED_PARTS.lastIndex = 0;
  const distinct = new Map(candidates.map((candidate) => [JSON.stringify(candidate), candidate]));
  return [...distinct.values()].filter((candidate) => candidate.length > 0).slice(0, MAX_CANDIDATES);
}

function splittings(text: string): string[][] {
  const parts = (separator: string | RegExp) =>
    text
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  return [parts(' ; '), parts(/\r?\n/)].filter((sequence) => sequence.length > 1);
}

/**
 * Whether a solution is meant to be played: a sequence, marked parts, or a short answer (at most 64 characters and 8 words,
 * on one line, not a sentence). Prose that explains the way is not, and proves nothing when it does not win.
 */
export function isExecutable(solution: DeclaredSolution): boolean {
  if (solution.actions !== null || solution.text.match(MARKED_PARTS) !== null) return true;
  const text = solution.text.trim();
  if (text.includes(' ; ')) return true;
  const sentence = /[.!?]$/.test(text) && text.includes(' ');
  return (
    !text.includes('\n') &&
    !sentence &&
    text.length <= SHORT_ANSWER_CHARACTERS &&
    text.split(/\s+/).length <= SHORT_ANSWER_WORDS
  );
}

/** The bare text of an action: what stands inside `\boxed{}` or `<answer>`. */
export function bareAnswer(action: string): string {
  const inside = /^\\boxed\{([\s\S]*)\}$/.exec(action) ?? /^<answer>([\s\S]*)<\/answer>$/.exec(action);
  return (inside?.[1] ?? action).trim();
}
