import { parseAnswer } from '../domain/parsing/tool-calls.ts';
import { type Case, type Layer, opened, probeSeed } from './case.ts';
import { ended, Player, recorded, type Transcript, won } from './player.ts';
import { excerpt, Rejection } from './rejection.ts';
import { bareAnswer, isExecutable, solutionCandidates } from './solution-candidates.ts';

const SOLUTION_SEEDS = 4;

interface Attempt {
  readonly observation: string;
  readonly text: string | null;
  readonly executable: boolean;
  /** All episodes that were played for it. */
  readonly plays: readonly Transcript[];
  readonly winner: { readonly actions: readonly string[]; readonly total: number } | null;
}

async function attempt(subject: Case, player: Player, seed: number): Promise<Attempt> {
  const { setting, limits, winThreshold } = subject.input;
  const observation = await player.reset(seed);
  const solution = await player.solution(seed);
  const plays: Transcript[] = [];
  for (const actions of solution === null ? [] : solutionCandidates(solution, setting)) {
    const transcript = await player.play(seed, recorded(actions), limits.maxTurns);
    plays.push(transcript);
    if (!won(transcript, winThreshold)) continue;
    const total = transcript.rewards.reduce((sum, reward) => sum + reward, 0);
    return {
      observation,
      text: solution?.text ?? null,
      executable: true,
      plays,
      winner: { actions: transcript.actions, total },
    };
  }
  const executable = solution !== null && isExecutable(solution);
  return { observation, text: solution?.text ?? null, executable, plays, winner: null };
}

/** 7: the declared solution wins. Prose that cannot be played is noted, not refused. */
export const solutionLayer: Layer = async (subject) => {
  const attempts = await Player.with(subject.sandbox, subject.input.source, opened(subject), async (player) => {
    const all: Attempt[] = [];
    for (let i = 0; i < SOLUTION_SEEDS; i++)
      all.push(await attempt(subject, player, probeSeed(subject, 'solution', i)));
    return all;
  });
  const winners = attempts.filter(({ winner }) => winner !== null);
  const numbers = { solutionWins: winners.length, seeds: attempts.length };
  const texts = attempts.flatMap(({ text }) => text ?? []);
  if (texts.length === 0) subject.warnings.add('solution.missing');
  else if (winners.length === 0) {
    if (attempts.some(({ executable }) => executable)) {
      const shown = { excerpt: excerpt(texts[0] ?? ''), numbers };
      throw new Rejection('degenerate.unwinnable', 'the declared solution does not win on any seed', shown);
    }
    subject.warnings.add('solution.not_executable');
  }
  checkLifecycle([subject.smoke as Transcript, ...attempts.flatMap(({ plays }) => plays)], numbers);
  const won = attempts.flatMap(({ observation, winner }) =>
    winner === null
      ? []
      : [
          {
            observation,
            actions: winner.actions.map((action) => parseAnswer(action) ?? bareAnswer(action)),
            last: winner.actions.at(-1) ?? '',
          },
        ],
  );
  subject.solved = won
    .filter(({ actions, last }) => actions.length === 1 || saysSomething(last))
    .map(({ observation, actions }) => ({ observation, answer: actions.at(-1) ?? '' }));
  subject.solvedInTurns = won.filter(({ actions }) => actions.length > 1);
  if (winners.length > 0)
    subject.solutionTotal = winners.reduce((sum, { winner }) => sum + (winner?.total ?? 0), 0) / winners.length;
  checkSeedMatters(subject, attempts);
  return { numbers };
};

/** Whether the last message of tool use holds an answer of its own, and not only the word that ends the task. */
function saysSomething(message: string): boolean {
  const answer = parseAnswer(message);
  return answer !== null && answer.toLowerCase() !== 'done';
}

/** No episode of the program ends, or every one is cut at its first turn. */
function checkLifecycle(plays: readonly Transcript[], numbers: Record<string, number>): void {
  if (!plays.some(ended)) throw new Rejection('lifecycle.no_termination', 'no episode ends', { numbers });
  if (plays.every(({ truncated, actions }) => truncated && actions.length === 1)) {
    throw new Rejection('lifecycle.immediate', 'every episode is cut at its first turn', { numbers });
  }
}

/**
 * A program with one puzzle for all seeds is refused only when nothing at all depends on the seed: neither the first
 * observation nor the solution. Guess-the-number shows the same text for every seed and is legal; a program without a
 * solution cannot be told from it and is only noted.
 */
function checkSeedMatters(subject: Case, attempts: readonly Attempt[]): void {
  const same = (texts: readonly (string | null)[]) => new Set(texts).size === 1;
  if (!same(attempts.map(({ observation }) => observation))) return;
  const texts = attempts.map(({ text }) => text);
  if (!same(texts)) return;
  if (texts[0] === null) subject.warnings.add('seed.ignored');
  else
    throw new Rejection('seed.ignored', 'observation and solution are the same for every seed', {
      excerpt: excerpt(texts[0] ?? ''),
    });
}
