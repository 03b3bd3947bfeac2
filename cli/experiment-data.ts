import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import type { EnvironmentView, ReportData } from '../dashboard/data.ts';
import { type Home, homeOf } from '../local/home/layout.ts';
import {
  EnvironmentCard,
  type EnvironmentStatistics,
  ExperimentConfig,
  environmentKeys,
  experimentKey,
  InvalidInput,
  IterationRecord,
  iterationKeys,
  NotFound,
  Scores,
} from '../shared/contracts/index.ts';

/** An experiment's folder as people's commands read it: nothing here writes. */
export interface Experiment {
  readonly home: Home;
  readonly config: ExperimentConfig;
}

/**
 * Opens an experiment of a home by name; without a name, the one that was touched last.
 * @throws {InvalidInput} when there is none, naming those that are there
 */
export function openExperiment(folder: string, name?: string): Experiment {
  const names = experimentNames(folder);
  const chosen = name ?? names[0];
  if (chosen === undefined || !names.includes(chosen)) {
    const there =
      names.length === 0 ? 'it holds no experiment; "spade demo" makes one' : `it holds ${names.join(', ')}`;
    throw new InvalidInput(folder, [chosen === undefined ? there : `no experiment ${chosen}; ${there}`]);
  }
  const home = homeOf(folder, chosen);
  return { home, config: readJson(join(home.stores.episodes, experimentKey(chosen)), ExperimentConfig) };
}

/** Names of the experiments in a home, the one touched last first. */
export function experimentNames(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const touched = (name: string) => statSync(join(folder, name)).mtimeMs;
  return readdirSync(folder)
    .filter((name) => existsSync(join(homeOf(folder, name).stores.episodes, experimentKey(name))))
    .sort((a, b) => touched(b) - touched(a));
}

/** The record of an iteration, or null while it is open. */
export function readRecord({ home, config }: Experiment, iteration: number): IterationRecord | null {
  const path = join(home.stores.episodes, iterationKeys(config.experiment, iteration).record);
  return existsSync(path) ? readJson(path, IterationRecord) : null;
}

/** Records of all closed iterations, in order. */
export function readRecords(experiment: Experiment): IterationRecord[] {
  const records: IterationRecord[] = [];
  for (let iteration = 1; ; iteration++) {
    const record = readRecord(experiment, iteration);
    if (record === null) return records;
    records.push(record);
  }
}

/** Every admitted environment with its latest statistics. */
export function readEnvironments(experiment: Experiment): EnvironmentView[] {
  const { home, config } = experiment;
  const folder = join(home.stores.environments, config.experiment);
  if (!existsSync(folder)) return [];
  const statistics = readStatistics(experiment);
  return readdirSync(folder)
    .filter((hash) => existsSync(join(folder, hash, 'card.json')))
    .sort()
    .map((hash) => readEnvironment(experiment, hash, statistics.get(hash) ?? null));
}

/**
 * The one environment whose hash begins so.
 * @throws {InvalidInput} when there is none, or several
 */
export function findEnvironment(views: readonly EnvironmentView[], hash: string): EnvironmentView {
  const found = views.filter((view) => view.card.hash.startsWith(hash.toLowerCase()));
  if (found.length === 1) return found[0] as EnvironmentView;
  const many = found
    .map((view) => view.card.hash.slice(0, 16))
    .slice(0, 5)
    .join(', ');
  throw new InvalidInput(hash, [
    found.length === 0 ? 'no environment begins so; "spade envs" lists them' : `several begin so: ${many}`,
  ]);
}

function readEnvironment(
  { home, config }: Experiment,
  hash: string,
  statistics: EnvironmentStatistics | null,
): EnvironmentView {
  const keys = environmentKeys(config.experiment, hash);
  const path = (key: string) => join(home.stores.environments, key);
  const text = (key: string) => (existsSync(path(key)) ? readFileSync(path(key), 'utf8') : '');
  return {
    card: readJson(path(keys.card), EnvironmentCard),
    statistics,
    source: text(keys.source),
    hint: text(keys.hint),
  };
}

/** What play measured, by environment; a later iteration of the same window replaces an earlier one. */
function readStatistics({ home, config }: Experiment): Map<string, EnvironmentStatistics> {
  const found = new Map<string, EnvironmentStatistics>();
  for (let iteration = 1; iteration <= config.iterations; iteration++) {
    const path = join(home.stores.episodes, iterationKeys(config.experiment, iteration).scores);
    if (!existsSync(path)) continue;
    for (const entry of readJson(path, Scores).environments) found.set(entry.environment, entry);
  }
  return found;
}

/** All that a report shows. @param spentUsd from the ledger, null when it could not be read */
export function reportData(experiment: Experiment, spentUsd: number | null): ReportData {
  return {
    config: experiment.config,
    records: readRecords(experiment),
    environments: readEnvironments(experiment),
    spentUsd,
  };
}

function readJson<S extends z.ZodType>(path: string, schema: S): z.infer<S> {
  if (!existsSync(path)) throw new NotFound(path);
  const parsed = schema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new InvalidInput(
    path,
    parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  );
}
