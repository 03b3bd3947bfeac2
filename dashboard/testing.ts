import { readFileSync } from 'node:fs';
import type {
  EnvironmentCard,
  EnvironmentStatistics,
  ExperimentConfig,
  IterationRecord,
} from '../shared/contracts/index.ts';
import type { EnvironmentView, ReportData } from './data.ts';

/** A wire fixture by name. */
export function fixture<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../shared/contracts/fixtures/${name}.json`, import.meta.url), 'utf8')) as T;
}

/** An environment for tests. */
export function viewFor(title: string, over: Partial<EnvironmentStatistics> | null = {}): EnvironmentView {
  const statistics = fixture<EnvironmentStatistics>('environment-statistics');
  return {
    card: { ...fixture<EnvironmentCard>('environment-card'), title },
    statistics: over === null ? null : { ...statistics, ...over },
    source: `class ${title}:\n    pass\n`,
    hint: 'Halve the range.',
  };
}

/** Report data of so many iterations, all alike. */
export function reportFor(
  iterations: number,
  environments: readonly EnvironmentView[] = [viewFor('TowerEnv')],
): ReportData {
  const record = fixture<IterationRecord>('iteration-record');
  const records = Array.from({ length: iterations }, (_, i) => ({
    ...record,
    iteration: i + 1,
    policyVersion: i,
    nextPolicyVersion: i + 1,
    benchmark: record.benchmark.map((score) => ({ ...score, policyVersion: i, score: 0.25 + i / 100 })),
  }));
  return { config: fixture<ExperimentConfig>('experiment-config'), records, environments, spentUsd: 0 };
}
