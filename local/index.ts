import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createFileQueue, type FileQueue } from '../shared/adapters/queue-file.ts';
import { sweepUnfinished } from '../shared/adapters/store-file.ts';
import { openStore } from '../shared/adapters/stores.ts';
import {
  type ExperimentConfig,
  InvalidInput,
  type IterationCompleted,
  iterationKeys,
  type LeaseHeld,
} from '../shared/contracts/index.ts';
import { parseExperiment } from '../shared/domain/experiment-file.ts';
import type { ProgressEvent, Store } from '../shared/ports/index.ts';
import { type LaunchTrainer, startChildren } from './children.ts';
import { loadDefinition } from './definition.ts';
import { fixExperiment } from './home/experiment.ts';
import { importCorpora, importPolicy } from './home/imports.ts';
import { DEFAULT_HOME, folderUri, type Home, homeOf, makeHome } from './home/layout.ts';
import { writePhaseSeconds } from './home/phase-seconds.ts';
import { localHost, unitEnvironment } from './host.ts';
import { localIntegrations } from './integrations.ts';
import { execute } from './machine.ts';
import { timedProgress } from './phase-clock.ts';
import { holdTable } from './processes/table.ts';
import { progressOf } from './progress-lines.ts';

export { DEFAULT_HOME, homeOf } from './home/layout.ts';
export { ExecutionFailed } from './machine.ts';

export interface RunOptions {
  /** Experiment file (YAML). */
  readonly file: string;
  /** Folder of all experiments. @default .spade */
  readonly home?: string;
  /** Overrides the file's number of iterations; may be raised from run to run. */
  readonly iterations?: number;
  /** Overrides the file's seed. */
  readonly seed?: number;
  readonly onProgress?: (event: ProgressEvent) => void;
  /** Aborting it stops the run cleanly; run again to go on. */
  readonly signal?: AbortSignal;
  /** What runs training jobs. @default the project's trainer, kept warm */
  readonly launchTrainer?: LaunchTrainer;
}

export interface RunResult {
  readonly experiment: string;
  readonly home: string;
  /** Iterations that this call closed. */
  readonly iterations: number;
  /** Why it ended; `interrupted` when the signal was aborted. */
  readonly stopReason: NonNullable<IterationCompleted['stopReason']> | 'interrupted';
}

/**
 * Runs an experiment on this machine: the deployed state machine, its units in process, its tasks and training jobs as child
 * processes, everything that AWS would hold in the experiment's home. A run that was interrupted or killed goes on where it was.
 *
 * @throws {InvalidInput} for a wrong file, or one that differs from what the experiment was begun with
 * @throws {LeaseHeld} when another process runs it
 * @throws {ExecutionFailed} when an iteration fails; its request stays in the queue
 */
export async function runExperiment(options: RunOptions): Promise<RunResult> {
  const config = readExperimentFile(options);
  const home = homeOf(options.home ?? DEFAULT_HOME, config.experiment);
  makeHome(home);
  const stopped = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stopped.signal]) : stopped.signal;
  const table = await holdTable(home, config.experiment, (error: LeaseHeld) => stopped.abort(error));
  try {
    await prepare(config, home, dirname(resolve(options.file)));
    const { onProgress = () => {}, launchTrainer } = options;
    return await runIterations({ config, home, table, signal, onProgress, launchTrainer });
  } catch (error) {
    if (!options.signal?.aborted) throw error;
    return { experiment: config.experiment, home: home.root, iterations: 0, stopReason: 'interrupted' };
  } finally {
    await table.close();
  }
}

/** The experiment file with the caller's overrides, as a complete configuration. @throws {InvalidInput} */
export function readExperimentFile({ file, iterations, seed }: RunOptions): ExperimentConfig {
  const config = parseExperiment(readText(file), file);
  return { ...config, ...(iterations !== undefined && { iterations }), ...(seed !== undefined && { seed }) };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InvalidInput(file, ['the experiment file cannot be read'], { cause });
  }
}

/** Everything that must be in the stores before the first iteration. */
async function prepare(config: ExperimentConfig, home: Home, base: string): Promise<void> {
  await Promise.all(Object.values(home.stores).map(sweepUnfinished));
  const store = (name: keyof Home['stores']) => openStore(folderUri(home.stores[name]));
  await fixExperiment(config, store('episodes'));
  await importCorpora(config, base, store('corpora'));
  await importPolicy(config, base, store('policies'));
}

interface Run {
  readonly config: ExperimentConfig;
  readonly home: Home;
  readonly table: Awaited<ReturnType<typeof holdTable>>;
  readonly signal: AbortSignal;
  readonly onProgress: (event: ProgressEvent) => void;
  readonly launchTrainer: LaunchTrainer | undefined;
}

/** Takes requests from the queue until the run stops; a request is acknowledged when its iteration has closed. */
async function runIterations(run: Run): Promise<RunResult> {
  const { config, home, table, signal } = run;
  const { experiment } = config;
  const definition = loadDefinition();
  const onProgress = timedProgress(run.onProgress, ({ iteration }, seconds) =>
    writePhaseSeconds(home, experiment, iteration, seconds),
  );
  const running = { experiment, iteration: 0 };
  const onLine = (line: string) => {
    const event = progressOf(line, running);
    if (event !== null) onProgress(event);
  };
  const children = await startChildren(config, onLine, run.launchTrainer);
  const policy = children.server?.uri ?? config.serving.policy;
  const env = unitEnvironment(home, table.uri, policy, children.python);
  let completed: IterationCompleted | null = null;
  const onCompleted = (event: IterationCompleted) => {
    completed = event;
  };
  const host = localHost({ ...children, config, home, env, table, onProgress, onCompleted });
  const integrations = localIntegrations({ host, home, env, children, onLine });
  const queue = createFileQueue(home.queue);
  await table.services.ledger.requestStop(experiment, false);
  await requestFirst(queue, config, host.stores.episodes);
  let iterations = 0;
  try {
    for (let request = await queue.receive(); request !== null; request = await queue.receive()) {
      running.iteration = request.iteration;
      completed = null;
      await execute(definition, request, { integrations, signal });
      const { next, stopReason } = completed ?? { next: null, stopReason: null };
      if (next !== null) await queue.send(next);
      // A plan that stopped before the iteration began leaves the request: a raised budget or number goes on with it.
      if (await host.stores.episodes.exists(iterationKeys(experiment, request.iteration).record)) {
        iterations += 1;
        await queue.acknowledge(request);
      }
      if (stopReason !== null) return { experiment, home: home.root, iterations, stopReason };
    }
    return { experiment, home: home.root, iterations, stopReason: 'finished' };
  } catch (error) {
    if (!signal.aborted || signal.reason?.name === 'LeaseHeld') throw error;
    return { experiment, home: home.root, iterations, stopReason: 'interrupted' };
  } finally {
    await children.stop();
  }
}

/** With nothing in the queue: the first iteration without a record, if the experiment goes that far. */
async function requestFirst(queue: FileQueue, config: ExperimentConfig, episodes: Store): Promise<void> {
  if ((await queue.receive()) !== null) return;
  const { experiment, iterations } = config;
  let iteration = 1;
  while (await episodes.exists(iterationKeys(experiment, iteration).record)) iteration += 1;
  if (iteration <= iterations) await queue.send({ experiment, iteration, attempt: 1 });
}
