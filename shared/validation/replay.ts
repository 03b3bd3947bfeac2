import type { Episode, ExperimentConfig } from '../contracts/index.ts';
import { actionOf } from '../domain/parsing/action.ts';
import type { Reply, Sandbox, SandboxedEnvironment, StepResult } from '../sandbox/types.ts';

/** What playing a recorded episode again showed. */
export type Replay =
  | { readonly kind: 'identical' }
  /** `turn` counts from 1; 0 is the loading and the first observation. */
  | { readonly kind: 'different'; readonly turn: number; readonly what: string }
  /** The record does not say how to play it again, or the host failed. */
  | { readonly kind: 'unknown'; readonly why: string };

/** How the episode was played. */
export type ReplayRules = Pick<ExperimentConfig, 'setting'> & {
  readonly agent: Pick<ExperimentConfig['agent'], 'maxTurns' | 'turns' | 'action'>;
};

/** Faults that depend on how fast the machine is: they need not come again. */
const OF_THE_MACHINE = /^(?:timeout\.|limit\.memory|env\.quarantined|infra\.)/;

/**
 * Plays a recorded episode again, in a fresh process, with the recorded messages: every observation, reward and the end must be what the
 * record says. So a record is proved to be the program's own doing (catalogue F06).
 */
export async function replayEpisode(
  episode: Episode,
  source: string,
  rules: ReplayRules,
  sandbox: Pick<Sandbox, 'open'>,
): Promise<Replay> {
  const { outcome, reason, seed } = episode;
  if (outcome === 'infra_lost' || outcome === 'unresolved') return { kind: 'unknown', why: `it ended as ${outcome}` };
  if (reason !== null && OF_THE_MACHINE.test(reason))
    return { kind: 'unknown', why: `it ended with ${reason}, which depends on the machine` };
  const { maxTurns, turns } = rules.agent;
  const program = await sandbox.open(source, { seed, maxTurns, ownTurns: turns === 'own' });
  try {
    return await compare(episode, program, rules);
  } finally {
    program.close();
  }
}

async function compare(episode: Episode, program: SandboxedEnvironment, rules: ReplayRules): Promise<Replay> {
  const loaded = await program.load();
  if (!loaded.ok) return ending(episode, 0, loaded);
  const start = await program.reset(episode.seed);
  if (!start.ok) return ending(episode, 0, start);
  let { observation } = start.value;
  let last: StepResult | null = null;
  for (const [index, turn] of episode.turns.entries()) {
    const number = index + 1;
    if (last?.terminated || last?.truncated) return different(number, 'the program has ended before');
    if (turn.observation !== observation)
      return different(index, `it shows ${quoted(observation)}, recorded is ${quoted(turn.observation)}`);
    const step = await program.step(actionOf(turn.text, rules.setting, rules.agent.action));
    if (!step.ok) return ending(episode, number, step);
    if (step.value.reward !== turn.reward)
      return different(number, `it pays ${step.value.reward}, recorded is ${turn.reward}`);
    ({ observation } = step.value);
    last = step.value;
  }
  if (episode.outcome === 'env_fault')
    return different(episode.turns.length, `no fault, recorded is ${episode.reason}`);
  const terminated = last?.terminated ?? false;
  return terminated === episode.terminated
    ? { kind: 'identical' }
    : different(episode.turns.length, `it ${terminated ? 'ends' : 'goes on'}, unlike recorded`);
}

/** A fault is the same when it comes in the recorded turn with the recorded reason. */
function ending(
  episode: Episode,
  turn: number,
  { outcome, reason, detail }: Extract<Reply<never>, { ok: false }>,
): Replay {
  if (outcome === 'infra_lost') return { kind: 'unknown', why: `the host failed: ${detail}` };
  if (episode.reason === reason && turn === episode.turns.length) return { kind: 'identical' };
  return different(turn, `it ends with ${reason}, recorded is ${episode.reason ?? episode.outcome}`);
}

const different = (turn: number, what: string): Replay => ({ kind: 'different', turn, what });
const quoted = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
