import type { EnvironmentStatistics, ExperimentConfig, Scores } from '../../shared/contracts/index.ts';
import { actionKind } from '../../shared/domain/parsing/action.ts';
import { environmentStatistics, type ScoredEpisode } from '../../shared/domain/statistics.ts';
import { agentSamples, toJsonLines } from '../../shared/domain/training-batch.ts';
import type { Store } from '../../shared/ports/index.ts';
import { gzipText } from '../objects.ts';
import { plannedPlays, readPlay } from './play.ts';

/** What one iteration's play gives: statistics, and the agent's part of the training batch, already packed. */
export interface AgentSide {
  readonly episodes: ReadonlyMap<string, readonly ScoredEpisode[]>;
  readonly statistics: readonly EnvironmentStatistics[];
  readonly groups: Scores['groups'];
  /** Episodes that have an advantage. */
  readonly keptEpisodes: number;
  readonly samples: number;
  readonly tokens: number;
  /** Turns of both arms by the kind of answer. */
  readonly actions: Readonly<Record<string, number>>;
  /** Gzip members, one per environment: a batch never has to be in memory unpacked. */
  readonly packed: readonly Uint8Array[];
}

/** Goes through the environments one by one, in the order of the shards. */
export async function agentSide(config: ExperimentConfig, iteration: number, store: Store): Promise<AgentSide> {
  const { experiment, agent } = config;
  const episodes = new Map<string, readonly ScoredEpisode[]>();
  const statistics: EnvironmentStatistics[] = [];
  const groups = { kept: 0, zeroSpread: 0, short: 0 };
  const packed: Uint8Array[] = [];
  const actions: Record<string, number> = {};
  const totals = { keptEpisodes: 0, samples: 0, tokens: 0 };
  for (const planned of await plannedPlays(experiment, iteration, store)) {
    const { stored, complete } = await readPlay(experiment, iteration, planned, store);
    episodes.set(planned.id, complete);
    for (const { text } of stored.flatMap(({ turns }) => turns)) {
      const kind = actionKind(text, config.setting);
      actions[kind] = (actions[kind] ?? 0) + 1;
    }
    statistics.push(environmentStatistics(planned.id, complete, agent.winThreshold));
    const options = {
      kind: agent.advantage,
      planned: planned.seeds.length,
      minimumFraction: agent.minimumGroupFraction,
    };
    const { group, samples } = agentSamples(stored, options);
    groups[group.kept ? 'kept' : group.reason === 'short' ? 'short' : 'zeroSpread'] += 1;
    totals.keptEpisodes += group.kept ? group.advantages.length : 0;
    totals.samples += samples.length;
    totals.tokens += samples.reduce((total, sample) => total + sample.tokenIds.length, 0);
    if (samples.length > 0) packed.push(gzipText(toJsonLines(samples)));
  }
  return { episodes, statistics, groups, actions, packed, ...totals };
}
