/*
 * Whether an answer was given away. Answers are compared as whole words, without case: `7` is not in `17`.
 */

const MARKER = String.raw`(?:answer|solution|secret|password|target|code|key)(?:\s+\p{L}+){0,2}\s*(?:is|are|was|=|:)?\s*["'\x60(\[]?`;

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** What makes an announced word one of several options: `answer "yes" or "no"`. */
const NOT_AN_OPTION = String.raw`(?!["'\x60)\]]*\s*(?:or\b|/|\|))`;

function wordPattern(answer: string, before = '', after = ''): RegExp {
  return new RegExp(`${before}(?<![\\p{L}\\p{N}_])${escaped(answer)}(?![\\p{L}\\p{N}_])${after}`, 'iu');
}

/** Longest answer that is looked for, in characters; beyond that a match proves nothing a shorter one would not. */
const MAX_ANSWER = 500;

/** Whether `text` names `answer` as a whole word. An empty or very long answer is nowhere. */
export function mentions(text: string, answer: string): boolean {
  return answer !== '' && answer.length <= MAX_ANSWER && wordPattern(answer).test(text);
}

/** Whether `text` presents `answer` as the answer: after a word such as "answer", "secret" or "code" and at most two more, and not as an option. */
export function announces(text: string, answer: string): boolean {
  return answer !== '' && answer.length <= MAX_ANSWER && wordPattern(answer, MARKER, NOT_AN_OPTION).test(text);
}

/** A winning answer and the first observation it belongs to. */
export interface Solved {
  readonly observation: string;
  readonly answer: string;
}

/** A winning sequence of bare actions, and the first observation it belongs to. */
export interface SolvedInTurns {
  readonly observation: string;
  readonly actions: readonly string[];
}

/** Share of seeds from which on a coincidence is no longer believed. */
const MOST = 0.75;

/** Whether the first observation announces the answer on most seeds. What is also announced where it is wrong gives nothing away. */
export function leaksIntoObservation(solved: readonly Solved[]): boolean {
  if (solved.length < 2) return false;
  const told = solved.filter(
    ({ observation, answer }) =>
      announces(observation, answer) && !solved.some((s) => s.answer !== answer && announces(s.observation, answer)),
  );
  return told.length >= MOST * solved.length;
}

/**
 * Whether the hint, one text for all seeds, names the answer on most of them. Answers that every first observation offers as
 * an option ("yes or no") may be named.
 */
export function leaksIntoHint(solved: readonly Solved[], hint: string): boolean {
  if (solved.length < 2) return false;
  const given = solved.filter(
    ({ answer }) => mentions(hint, answer) && !solved.every((s) => mentions(s.observation, answer)),
  );
  return given.length >= MOST * solved.length;
}

/** Between the actions of a sequence that a hint spells out. */
const BETWEEN = String.raw`(?:[^\p{L}\p{N}_]+(?:(?:then|and|next)[^\p{L}\p{N}_]+)*)`;

/** Whether the hint spells the winning actions out, one after the other, on most seeds. */
export function spellsOut(solved: readonly SolvedInTurns[], hint: string): boolean {
  if (solved.length < 2) return false;
  const told = solved.filter(({ actions }) => {
    const text = actions.join(' ');
    return text.length <= MAX_ANSWER && new RegExp(actions.map(escaped).join(BETWEEN), 'iu').test(hint);
  });
  return told.length >= MOST * solved.length;
}
