import { episodeReturn } from '../domain/returns.ts';
import type { ClassFacts, OpenOptions, Sandbox, SandboxedEnvironment } from '../sandbox/types.ts';
import { excerpt, need } from './rejection.ts';

/** Everything visible in one probe episode. `observations` has one entry more than `actions` and `rewards`. */
export interface Transcript {
  readonly seed: number;
  readonly observations: readonly string[];
  readonly actions: readonly string[];
  readonly rewards: readonly number[];
  readonly terminated: boolean;
  readonly truncated: boolean;
  readonly droppedInfo: number;
}

/** Chooses the next action of a probe; null ends the probe. */
export type Chooser = (observation: string, turn: number) => string | null;

/** One process with one program, for as many probe episodes as are asked of it. */
export class Player {
  readonly #environment: SandboxedEnvironment;

  public readonly facts: ClassFacts;

  private constructor(environment: SandboxedEnvironment, facts: ClassFacts) {
    this.#environment = environment;
    this.facts = facts;
  }

  /**
   * Loads the program in a fresh process.
   * @throws {Rejection | HostFailure} when it does not load
   */
  public static async open(sandbox: Sandbox, source: string, options: OpenOptions): Promise<Player> {
    const environment = await sandbox.open(source, options);
    const reply = await environment.load();
    if (!reply.ok) environment.close();
    return new Player(environment, need(reply));
  }

  /**
   * Loads the program in a fresh process, uses it and ends the process.
   * @throws {Rejection | HostFailure} for any fault met on the way
   */
  public static async with<T>(
    sandbox: Sandbox,
    source: string,
    options: OpenOptions,
    use: (player: Player) => Promise<T>,
  ): Promise<T> {
    const player = await Player.open(sandbox, source, options);
    try {
      return await use(player);
    } finally {
      player.close();
    }
  }

  /** Ends the process. Idempotent. */
  public close(): void {
    this.#environment.close();
  }

  /** The first observation under `seed`; `reuse` resets the played instance instead of a new one. */
  public async reset(seed: number, reuse = false): Promise<string> {
    return need(await this.#environment.reset(seed, { reuse }), { seed }).observation;
  }

  /** Plays one episode of at most `maxTurns` turns. */
  public async play(seed: number, choose: Chooser, maxTurns: number, reuse = false): Promise<Transcript> {
    const observations = [await this.reset(seed, reuse)];
    const actions: string[] = [];
    const rewards: number[] = [];
    let [terminated, truncated, droppedInfo] = [false, false, 0];
    while (actions.length < maxTurns && !terminated && !truncated) {
      const action = choose(observations.at(-1) ?? '', actions.length);
      if (action === null) break;
      const step = need(await this.#environment.step(action), { seed, action: excerpt(action) });
      actions.push(action);
      observations.push(step.observation);
      rewards.push(step.reward);
      ({ terminated, truncated } = step);
      droppedInfo += step.droppedInfo;
    }
    return { seed, observations, actions, rewards, terminated, truncated, droppedInfo };
  }

  /** The declared solution of the instance that was reset last and not played. */
  public async solution(seed: number): Promise<{ text: string; actions: readonly string[] | null } | null> {
    return need(await this.#environment.solution(), { seed });
  }
}

/** Plays the recorded actions in order, then stops. */
export function recorded(actions: readonly string[]): Chooser {
  return (_observation, turn) => actions[turn] ?? null;
}

/** Whether an episode was won: it ended by itself with a return above the threshold (M7). */
export function won(transcript: Transcript, winThreshold: number): boolean {
  return episodeReturn(transcript, 'final') > winThreshold;
}

/** Whether an episode ended by the program's own word, one way or the other. */
export function ended(transcript: Transcript): boolean {
  return transcript.terminated || transcript.truncated;
}

/** Turn at which two transcripts part, or null when what was seen and paid is the same. */
export function firstDifference(a: Transcript, b: Transcript): number | null {
  const turns = Math.max(a.observations.length, b.observations.length);
  for (let turn = 0; turn < turns; turn++) {
    if (a.observations[turn] !== b.observations[turn] || a.rewards[turn - 1] !== b.rewards[turn - 1]) return turn;
  }
  return a.terminated === b.terminated && a.truncated === b.truncated ? null : turns - 1;
}
