import type { Arm, Episode, ExperimentConfig, SamplerSettings } from '../../shared/contracts/index.ts';
import { actionOf } from '../../shared/domain/parsing/index.ts';
import { agentMessages, type Message, nextTurn, type PromptSet } from '../../shared/domain/prompts.ts';
import { episodeReturn } from '../../shared/domain/returns.ts';
import { mergeTurns, type TurnTokens } from '../../shared/domain/token-records.ts';
import type { Completion, Policy } from '../../shared/ports/index.ts';
import type { Reply, Sandbox, SandboxedEnvironment } from '../../shared/sandbox/types.ts';
import { policyLoss } from './policy-loss.ts';

/** One episode to play: which program, which arm, which seed. */
export interface EpisodeTask {
  /** Environment hash, or id of a benchmark program. */
  readonly environment: string;
  readonly source: string;
  /** Shown with the first observation; null in the unhinted arm. */
  readonly hint: string | null;
  readonly arm: Arm;
  readonly index: number;
  /** Of the program: the same in both arms. */
  readonly seed: number;
  /** Of the sampler, by turn. */
  readonly samplerSeed: (turn: number) => number;
}

/** What all episodes of a job share. */
export interface Table {
  readonly experiment: string;
  readonly iteration: number;
  readonly policyVersion: number;
  /** Name of that version at the policy server. */
  readonly model: string;
  readonly prompts: PromptSet;
  readonly sampler: SamplerSettings;
  readonly agent: Pick<ExperimentConfig['agent'], 'maxTurns' | 'turns' | 'action' | 'scoring'>;
  readonly setting: ExperimentConfig['setting'];
  /** Prompt and completion together. */
  readonly contextTokens: number;
}

export interface EpisodeDeps {
  readonly sandbox: Pick<Sandbox, 'open'>;
  readonly policy: Pick<Policy, 'complete'>;
}

/**
 * Plays one episode to its end and says how it ended (M6): a fault of the program, of the host or of the policy server is an outcome, never a
 * thrown error and never a reward. An episode that the host lost is played once more from the start; seeds make it the same episode.
 *
 * @throws {unknown} the signal's reason when it was aborted: then there is no episode
 */
export async function playEpisode(
  task: EpisodeTask,
  table: Table,
  deps: EpisodeDeps,
  signal: AbortSignal,
): Promise<Episode> {
  const first = await playOnce(task, table, deps, signal);
  return first.outcome === 'infra_lost' ? playOnce(task, table, deps, signal) : first;
}

async function playOnce(task: EpisodeTask, table: Table, deps: EpisodeDeps, signal: AbortSignal): Promise<Episode> {
  const { maxTurns, turns } = table.agent;
  const options = { seed: task.seed, maxTurns, ownTurns: turns === 'own' };
  const program = await deps.sandbox.open(task.source, options);
  // A pending step ends when its process does.
  const end = () => program.close();
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    const play = new Play(task, table, deps.policy, program, signal);
    const ending = await play.run();
    signal.throwIfAborted();
    return play.record(ending);
  } finally {
    signal.removeEventListener('abort', end);
    program.close();
  }
}

type Turn = Episode['turns'][number];
type Ending = Pick<Episode, 'outcome' | 'reason' | 'terminated' | 'truncated'>;

const cut: Ending = { outcome: 'played', reason: null, terminated: false, truncated: true };

/** The course of one episode: the conversation so far and what it brought. */
class Play {
  readonly #task: EpisodeTask;
  readonly #table: Table;
  readonly #policy: Pick<Policy, 'complete'>;
  readonly #program: SandboxedEnvironment;
  readonly #signal: AbortSignal;
  readonly #turns: Turn[] = [];
  readonly #tokens: TurnTokens[] = [];

  constructor(
    task: EpisodeTask,
    table: Table,
    policy: Pick<Policy, 'complete'>,
    program: SandboxedEnvironment,
    signal: AbortSignal,
  ) {
    this.#task = task;
    this.#table = table;
    this.#policy = policy;
    this.#program = program;
    this.#signal = signal;
  }

  async run(): Promise<Ending> {
    const loaded = await this.#program.load();
    if (!loaded.ok) return faulted(loaded);
    const start = await this.#program.reset(this.#task.seed);
    if (!start.ok) return faulted(start);
    let { observation } = start.value;
    let messages = agentMessages(this.#table.prompts, observation, this.#task.hint, loaded.value.tools);
    for (let turn = 0; turn < this.#table.agent.maxTurns; turn += 1) {
      const completion = await this.#ask(messages, turn);
      if ('outcome' in completion) return completion;
      const { setting, agent } = this.#table;
      const step = await this.#program.step(actionOf(completion.text, setting, agent.action));
      this.#note(observation, completion, step.ok ? step.value.reward : null);
      if (!step.ok) return faulted(step);
      const { terminated, truncated } = step.value;
      if (terminated || truncated) return { outcome: 'played', reason: null, terminated, truncated };
      if (this.#isFull(completion)) return cut;
      messages = nextTurn(messages, completion.text, step.value.observation);
      observation = step.value.observation;
    }
    return cut;
  }

  record(ending: Ending): Episode {
    const { experiment, iteration, policyVersion, sampler, agent } = this.#table;
    const { environment, arm, index, seed } = this.#task;
    const rewards = this.#turns.flatMap(({ reward }) => (reward === null ? [] : [reward]));
    const played = ending.outcome === 'played';
    return {
      ...{ experiment, iteration, environment, arm, index, seed, policyVersion, ...ending },
      return: played ? episodeReturn({ rewards, terminated: ending.terminated }, agent.scoring) : null,
      rewards,
      turns: this.#turns,
      // Only what was played is ever trained.
      sequences: played ? mergeTurns(this.#tokens) : [],
      sampler,
    };
  }

  async #ask(messages: readonly Message[], turn: number): Promise<Completion | Ending> {
    const { model, sampler } = this.#table;
    const request = { model, messages, sampler, seed: this.#task.samplerSeed(turn), signal: this.#signal };
    try {
      return await this.#policy.complete(request);
    } catch (error) {
      // A conversation that outgrew the context was cut, like one that used up its turns.
      const reason = policyLoss(error);
      if (reason === 'policy.prompt_too_long' && turn > 0) return cut;
      return { outcome: 'unresolved', reason, terminated: false, truncated: false };
    }
  }

  #note(observation: string, completion: Completion, reward: number | null): void {
    const { text, finishReason } = completion;
    this.#turns.push({ observation, text, finishReason, reward });
    this.#tokens.push(completion);
  }

  /** No room is left for even one more token. */
  #isFull({ promptTokenIds, tokenIds }: Completion): boolean {
    return promptTokenIds.length + tokenIds.length >= this.#table.contextTokens;
  }
}

function faulted({ outcome, reason }: Extract<Reply<never>, { ok: false }>): Ending {
  return { outcome, reason, terminated: false, truncated: false };
}
