import type { WarningCode } from '../contracts/reason-codes.ts';
import type { Evidence, ValidationLayer } from '../contracts/verdict.ts';
import { parseAnswer } from '../domain/parsing/tool-calls.ts';
import { deriveSeed, type Rng, rng } from '../domain/seeds.ts';
import type { Sandbox, SourceFacts } from '../sandbox/types.ts';
import { leaksIntoHint, leaksIntoObservation, type Solved, type SolvedInTurns, spellsOut } from './leaks.ts';
import { ended, firstDifference, Player, recorded, type Transcript, won } from './player.ts';
import { guess, oddActions, trivialPolicies, wrapAnswer } from './policies.ts';
import { excerpt, need, Rejection } from './rejection.ts';
import { bareAnswer, isExecutable, solutionCandidates } from './solution-candidates.ts';
import type { ValidationInput } from './types.ts';

/** What the layers learn and hand on. */
export interface Case {
  readonly input: ValidationInput;
  readonly sandbox: Sandbox;
  readonly warnings: Set<WarningCode>;
  facts?: SourceFacts;
  /** The process of the import layer, played by the smoke layer. */
  player?: Player;
  smoke?: Transcript;
  solutionTotal?: number;
  /** Won in one turn, or in tool use by an answer that says something. */
  solved?: readonly Solved[];
  /** Won in several turns. */
  solvedInTurns?: readonly SolvedInTurns[];
  solutionTexts?: readonly string[];
}

/** One layer: resolves with its evidence, or throws a Rejection. */
export type Layer = (subject: Case) => Promise<Evidence>;

/** Turns after which a probe gives up on a program that ends by neither its own rule nor `max_turns`. */
const PATIENCE_TURNS = 64;
const SEEDS_PER_NONSENSE = 2;
const SEEDS_PER_CHANCE = 6;
const SOLUTION_SEEDS = 4;
const CONTROL_TOKENS = /<\|\w+\|>|<\/?(?:tool_call|tool_response|think)>/;

/** A secret probe seed: 31 bits, so that it fits whatever a program does with it. */
function probeSeed({ input }: Case, ...label: (string | number)[]): number {
  return deriveSeed(input.probeSeed, ...label) >>> 1;
}

function generator({ input }: Case, ...label: (string | number)[]): Rng {
  return rng(deriveSeed(input.probeSeed, 'actions', ...label));
}

const opened = (subject: Case) => ({ seed: probeSeed(subject, 'import'), ...subject.input.limits });
const patience = (subject: Case) => Math.max(PATIENCE_TURNS, 2 * subject.input.limits.maxTurns);

/** 1: it parses, has one environment class and imports nothing that reaches the system. */
export const staticLayer: Layer = async (subject) => {
  subject.facts = need(await subject.sandbox.analyse(subject.input.source));
  for (const warning of subject.facts.warnings) subject.warnings.add(warning);
  return { numbers: { lines: subject.facts.lines, nodes: subject.facts.nodes } };
};

/** 2: it imports, has the class that the static layer saw, and constructs. */
export const importLayer: Layer = async (subject) => {
  subject.player = await Player.open(subject.sandbox, subject.input.source, opened(subject));
  const { title } = subject.player.facts;
  if (title !== subject.facts?.title) throw new Rejection('class.ambiguous', `the class ${title} appears at run time`);
  return {};
};

/** 3: a random episode runs with values of the right types, and once more on the same instance. */
export const smokeLayer: Layer = async (subject) => {
  const random = generator(subject, 'smoke');
  const choose = (observation: string) => wrapAnswer(subject.input.setting, guess(observation, random));
  const seed = probeSeed(subject, 'smoke');
  const player = subject.player as Player;
  const smoke = await player.play(seed, choose, patience(subject));
  const again = await player.play(seed, recorded(smoke.actions), patience(subject), true);
  const parted = firstDifference(smoke, again);
  subject.player?.close();
  if (parted !== null) {
    const shown = { seed, excerpt: excerpt(again.observations[parted] ?? '') };
    throw new Rejection('state.reset_leak', `a second reset with the same seed differs at turn ${parted}`, shown);
  }
  subject.smoke = smoke;
  if (smoke.droppedInfo > 0) subject.warnings.add('info.dropped');
  if (smoke.observations.some((text) => CONTROL_TOKENS.test(text))) subject.warnings.add('obs.control_tokens');
  return { seed, numbers: { turns: smoke.actions.length } };
};

/** 4: the same seed and actions give the same episode in other processes, under another hash seed and another clock. */
export const determinismLayer: Layer = async (subject) => {
  const smoke = subject.smoke as Transcript;
  const replay = (world: 'play' | 'other-clock' | 'other-hash-seed') =>
    Player.with(
      subject.sandbox,
      subject.input.source,
      { ...opened(subject), world, seed: probeSeed(subject, world) },
      (player) => player.play(smoke.seed, recorded(smoke.actions), patience(subject)),
    );
  const worlds = ['other-clock', 'other-hash-seed'] as const;
  const replays = await Promise.all(worlds.map(replay));
  for (const [index, transcript] of replays.entries()) {
    const parted = firstDifference(smoke, transcript);
    if (parted === null) continue;
    const shown = { seed: smoke.seed, excerpt: excerpt(transcript.observations[parted] ?? '') };
    throw new Rejection(
      'nondeterministic',
      `the same seed and actions differ at turn ${parted} (${worlds[index]})`,
      shown,
    );
  }
  return { seed: smoke.seed, numbers: { replays: replays.length } };
};

/** 5: an odd answer is answered, not crashed on. */
export const robustnessLayer: Layer = async (subject) => {
  const waiting = [...oddActions(subject.input.setting)];
  let round = 0;
  try {
    await Player.with(subject.sandbox, subject.input.source, opened(subject), async (player) => {
      while (waiting.length > 0) {
        await player.play(probeSeed(subject, 'odd', round++), () => waiting.shift() ?? null, patience(subject));
      }
    });
  } catch (error) {
    if (!(error instanceof Rejection) || error.reason !== 'env.exception') throw error;
    throw new Rejection('robust.action_crash', `an odd action made it raise ${error.message}`, error.evidence);
  }
  return { numbers: { actions: oddActions(subject.input.setting).length } };
};

/** 6: nobody wins without understanding. Nonsense may not win once, chance not every time. */
export const trivialPolicyLayer: Layer = async (subject) => {
  const { input, sandbox } = subject;
  const policies = trivialPolicies(input.setting);
  const panel = async (kind: 'nonsense' | 'chance', seeds: number) =>
    Player.with(sandbox, input.source, opened(subject), async (player) => {
      const results: { name: string; wins: number; totals: number[]; seed: number; kind: typeof kind }[] = [];
      for (const policy of policies.filter((p) => p.kind === kind)) {
        const result = { name: policy.name, wins: 0, totals: [] as number[], seed: 0, kind };
        const random = generator(subject, policy.name);
        for (let i = 0; i < seeds; i++) {
          const seed = probeSeed(subject, policy.name, i);
          const transcript = await player.play(
            seed,
            (observation) => policy.act(observation, random),
            input.limits.maxTurns,
          );
          if (won(transcript, input.winThreshold)) Object.assign(result, { wins: result.wins + 1, seed });
          result.totals.push(transcript.rewards.reduce((sum, reward) => sum + reward, 0));
        }
        results.push(result);
      }
      return results;
    });
  const [nonsense, chance] = await Promise.all([
    panel('nonsense', SEEDS_PER_NONSENSE),
    panel('chance', SEEDS_PER_CHANCE),
  ]);
  for (const { name, wins, seed, kind } of [...nonsense, ...chance]) {
    const allowed = kind === 'nonsense' ? 0 : SEEDS_PER_CHANCE - 1;
    if (wins > allowed)
      throw new Rejection('degenerate.always_win', `the policy "${name}" wins`, { seed, numbers: { wins } });
  }
  const mean = (totals: readonly number[]) => totals.reduce((sum, x) => sum + x, 0) / totals.length;
  const best = Math.max(...[...nonsense, ...chance].map(({ totals }) => mean(totals)));
  if (subject.solutionTotal !== undefined && best > 0 && best >= subject.solutionTotal)
    subject.warnings.add('reward.farmable');
  return { numbers: Object.fromEntries(chance.map(({ name, wins }) => [`${name} wins`, wins])) };
};

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
  subject.solutionTexts = attempts.flatMap(({ text }) => text ?? []);
  if (subject.solutionTexts.length === 0) subject.warnings.add('solution.missing');
  else if (winners.length === 0) {
    if (attempts.some(({ executable }) => executable)) {
      const shown = { excerpt: excerpt(subject.solutionTexts[0] ?? ''), numbers };
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

/** 8: neither the first observation nor the hint gives the answer away. */
export const leakLayer: Layer = async (subject) => {
  const solved = subject.solved ?? [];
  const shown = { excerpt: excerpt(solved[0]?.answer ?? '') };
  if (leaksIntoObservation(solved))
    throw new Rejection('leak.answer_in_obs', 'the first observation tells the answer', shown);
  if (leaksIntoHint(solved, subject.input.hint) || spellsOut(subject.solvedInTurns ?? [], subject.input.hint))
    throw new Rejection('leak.answer_in_hint', 'the hint tells the answer', shown);
  return { numbers: { answers: solved.length } };
};

/** The layers in the order they run. */
export const LAYERS: readonly (readonly [ValidationLayer, Layer])[] = [
  ['static', staticLayer],
  ['import', importLayer],
  ['smoke', smokeLayer],
  ['determinism', determinismLayer],
  ['robustness', robustnessLayer],
  ['solution', solutionLayer],
  ['trivial-policies', trivialPolicyLayer],
  ['leaks', leakLayer],
];
