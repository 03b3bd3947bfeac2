import type { Episode } from '../contracts/index.ts';
import { boxed } from './parsing/boxed.ts';
import { wilsonInterval } from './statistics.ts';

/** An episode as far as secrets go. */
export type AnsweredEpisode = Pick<Episode, 'arm' | 'outcome' | 'return'> & {
  /** What the player answered last, where no observation had shown it; null or absent otherwise. */
  readonly unshownAnswer?: string | null;
};

/** Longest answer that is compared, in characters. */
const ANSWER_CHARACTERS = 200;

/** Ends of the 95 % intervals of both arms' win rates beyond which a hint counts as a secret: 12 of 12 against 0 of 12 is beyond. */
const SECRET_HINTED = 0.75;
const SECRET_UNHINTED = 0.25;

/**
 * Whether regret may come from a secret in the hint alone (catalogue G05): the hint wins nearly always and nothing is won without it, every
 * win ends with the same answer, and nothing that the player was shown holds that answer. An environment has one hint for all
 * seeds, so a secret that it tells is one literal; an honest game asks for another answer with another seed.
 *
 * Win rates are judged by intervals, because an honest frontier game wins four of four with its hint and none without it now and then.
 * @param winThreshold a return above this is a win
 */
export function isSecretOnly(episodes: readonly AnsweredEpisode[], winThreshold: number): boolean {
  const played = episodes.filter((episode) => episode.outcome === 'played' && episode.return !== null);
  const hinted = played.filter((episode) => episode.arm === 'hinted');
  const unhinted = played.filter((episode) => episode.arm === 'unhinted');
  if (hinted.length === 0 || unhinted.length === 0) return false;
  const won = (episode: AnsweredEpisode) => (episode.return as number) > winThreshold;
  const interval = (arm: readonly AnsweredEpisode[]) => wilsonInterval(arm.filter(won).length, arm.length);
  if (interval(hinted)[0] < SECRET_HINTED || interval(unhinted)[1] > SECRET_UNHINTED) return false;
  const answers = new Set(hinted.filter(won).map((episode) => episode.unshownAnswer ?? null));
  return answers.size === 1 && !answers.has(null);
}

/** The content of the last turn's last box, or all of its text, lower case; null where an observation holds it or there is none. */
export function unshownAnswer(turns: Episode['turns']): string | null {
  const text = turns.at(-1)?.text ?? '';
  const answer = plain(boxed(text) ?? text).slice(0, ANSWER_CHARACTERS);
  return answer === '' || turns.some(({ observation }) => plain(observation).includes(answer)) ? null : answer;
}

function plain(text: string): string {
  return text.trim().toLowerCase();
}
