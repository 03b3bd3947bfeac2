import type { ValidationLayer } from '../contracts/verdict.ts';
import { generator, type Layer, opened, patience, probeSeed } from './case.ts';
import { leaksIntoHint, leaksIntoObservation, spellsOut } from './leaks.ts';
import { firstDifference, Player, recorded, type Transcript } from './player.ts';
import { guess, oddActions, wrapAnswer } from './policies.ts';
import { excerpt, need, Rejection } from './rejection.ts';
import { solutionLayer } from './solution-layer.ts';
import { trivialPolicyLayer } from './trivial-policy-layer.ts';

const CONTROL_TOKENS = /<\|\w+\|>|<\/?(?:tool_call|tool_response|think)>/;

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
