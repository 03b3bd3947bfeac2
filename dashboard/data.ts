import type {
  BenchmarkScore,
  Difficulty,
  EnvironmentCard,
  EnvironmentStatistics,
  ExperimentConfig,
  IterationRecord,
} from '../shared/contracts/index.ts';

/** An environment with all that is known of it. */
export interface EnvironmentView {
  readonly card: EnvironmentCard;
  /** Null until it was played. */
  readonly statistics: EnvironmentStatistics | null;
  readonly source: string;
  readonly hint: string;
}

/** Everything that a report shows, read from an experiment's stores and ledger. */
export interface ReportData {
  readonly config: ExperimentConfig;
  /** Closed iterations, in order. */
  readonly records: readonly IterationRecord[];
  readonly environments: readonly EnvironmentView[];
  /** USD in all, at the dated price table; null when the ledger could not be read. */
  readonly spentUsd: number | null;
}

/** Every benchmark score, one per policy version, in order of the version. */
export function benchmarkScores(records: readonly IterationRecord[]): BenchmarkScore[] {
  const byVersion = new Map(records.flatMap((record) => record.benchmark).map((score) => [score.policyVersion, score]));
  return [...byVersion.values()].sort((a, b) => a.policyVersion - b.policyVersion);
}

/** Mean level over the dimensions that the controller moves. */
export function meanLevel(difficulty: Difficulty, config: ExperimentConfig): number {
  const { dimensions } = config.controller;
  return dimensions.reduce((total, dimension) => total + difficulty[dimension], 0) / dimensions.length;
}

/** Mean level over all skills that an iteration asks for next; null when nothing was asked yet. */
export function meanDifficulty(record: IterationRecord, config: ExperimentConfig): number | null {
  const levels = Object.values(record.scores.difficulty).map((difficulty) => meanLevel(difficulty, config));
  return levels.length === 0 ? null : levels.reduce((total, level) => total + level, 0) / levels.length;
}

/** Most telling first: highest regret, then nearest to winning half of the time, then by hash. */
export function byInterest(a: EnvironmentView, b: EnvironmentView): number {
  const regret = (view: EnvironmentView) => view.statistics?.regret ?? -1;
  const edge = (view: EnvironmentView) => Math.abs((view.statistics?.winRate.unhinted ?? 2) - 0.5);
  return regret(b) - regret(a) || edge(a) - edge(b) || (a.card.hash < b.card.hash ? -1 : 1);
}
