import type { ExperimentConfig } from '../../contracts/index.ts';
import { allBoxed, boxed } from './boxed.ts';
import { stripThinking } from './thinking.ts';
import { parseAnswer, parseToolCalls } from './tool-calls.ts';

type Setting = ExperimentConfig['setting'];
/** How much of a message is the action; see `agent.action`. */
export type ActionRule = ExperimentConfig['agent']['action'];

/**
 * The action that a program is given for a message: what was said without what was thought, and in games, when the rule asks for it,
 * the boxed answer alone. A message without a closed box is given whole, so that the program can say what was wrong with it. Linear time;
 * never throws.
 * @example actionOf('First \\boxed{1}. No: \\boxed{2}.', 'games', 'last-boxed') // '\\boxed{2}'
 */
export function actionOf(text: string, setting: Setting, rule: ActionRule): string {
  const spoken = stripThinking(text);
  if (setting === 'tool-use' || rule === 'message') return spoken;
  const answer = boxed(spoken, rule === 'first-boxed' ? 'first' : 'last');
  return answer === null ? spoken : `\\boxed{${answer}}`;
}

/**
 * What kind of answer a message holds (cases T8); counted in the iteration record. `thought`: nothing outside the thinking, usually because
 * the text was cut. Games: `boxed`, `several-boxed`, `empty-boxed`, `unclosed-boxed`, `plain`. Tool use: `calls`, `answer`, `calls-and-answer`, `plain`,
 * or `call-` and what is wrong with the first call that is none. Linear time; never throws.
 */
export function actionKind(text: string, setting: Setting): string {
  const spoken = stripThinking(text);
  if (spoken.trim() === '' && text.trim() !== '') return 'thought';
  return setting === 'games' ? boxedKind(spoken) : callKind(spoken);
}

function boxedKind(text: string): string {
  const answers = allBoxed(text);
  if (answers.length > 1) return 'several-boxed';
  if (answers.length === 1) return answers[0]?.trim() === '' ? 'empty-boxed' : 'boxed';
  return text.includes('\\boxed{') ? 'unclosed-boxed' : 'plain';
}

function callKind(text: string): string {
  const calls = parseToolCalls(text);
  const bad = calls.find((call) => !call.ok);
  if (bad?.ok === false) return `call-${bad.problem}`;
  const answered = parseAnswer(text) !== null;
  if (calls.length > 0) return answered ? 'calls-and-answer' : 'calls';
  return answered ? 'answer' : 'plain';
}
