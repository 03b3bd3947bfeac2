import { readPhaseSeconds } from '../local/home/phase-seconds.ts';
import { type RunResult, readExperimentFile, runExperiment } from '../local/index.ts';
import type { ProgressEvent } from '../shared/ports/index.ts';
import { EXIT } from './exit-codes.ts';
import { openExperiment, readRecord, readRecords } from './experiment-data.ts';
import { iterationBlock, iterationTable } from './iteration-view.ts';
import { fromLedger } from './ledger.ts';
import { createProgressView, type Screen } from './progress-view.ts';
import { writeReport } from './write-report.ts';

/** Options of `run` and `demo`, as the command line gives them. */
export interface RunVerbOptions {
  readonly home: string;
  readonly iterations?: number;
  readonly seed?: number;
}

/**
 * Runs an experiment and shows it: live progress, a table per iteration, a table of all of them, and the report page. Ctrl-C once
 * finishes cleanly, twice ends at once; either way the same command goes on later.
 * @returns the exit status
 */
export async function runAndShow(
  file: string,
  options: RunVerbOptions,
  screen: Screen = process.stdout,
): Promise<number> {
  const config = readExperimentFile({ file, ...options });
  const view = createProgressView(screen, config.iterations);
  const interruption = interruptible((text) => view.print(text));
  const shown: Promise<void>[] = [];
  const onProgress = (event: ProgressEvent) => {
    view.event(event);
    if (event.phase === 'close') {
      shown.push(showIteration(options.home, config.experiment, event.iteration, view.print));
    }
  };
  try {
    const result = await runExperiment({ file, ...options, onProgress, signal: interruption.signal });
    await Promise.all(shown);
    view.finish();
    return await conclude(options.home, result, screen);
  } finally {
    view.finish();
    interruption.release();
  }
}

async function showIteration(
  folder: string,
  name: string,
  iteration: number,
  print: (text: string) => void,
): Promise<void> {
  const experiment = openExperiment(folder, name);
  const record = readRecord(experiment, iteration);
  if (record === null) return;
  const spent = await fromLedger(experiment, (ledger) => ledger.totalUsd(name));
  const seconds = readPhaseSeconds(experiment.home, name, iteration);
  print(`${iterationBlock(record, experiment.config, seconds, spent)}\n`);
}

async function conclude(folder: string, result: RunResult, screen: Screen): Promise<number> {
  const experiment = openExperiment(folder, result.experiment);
  const records = readRecords(experiment);
  if (records.length > 0) screen.write(`${iterationTable(records, experiment.config)}\n\n`);
  screen.write(`report: ${await writeReport(experiment)}\n`);
  screen.write(`${ENDINGS[result.stopReason]}\n`);
  return result.stopReason === 'interrupted' ? EXIT.interrupted : EXIT.done;
}

const ENDINGS: Readonly<Record<RunResult['stopReason'], string>> = {
  finished: 'all iterations are closed; a larger --iterations goes on',
  budget: 'stopped: budget.maxUsd is reached; raise it in the experiment file and run again to go on',
  requested: 'stopped as requested; run again to go on',
  interrupted: 'interrupted; run the same command again to go on where it was',
};

/** Turns the first Ctrl-C or SIGTERM into an abort, the second into an exit. */
function interruptible(say: (text: string) => void): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    say('stopping cleanly; Ctrl-C again ends at once');
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return { signal: controller.signal, release: () => process.off('SIGINT', stop).off('SIGTERM', stop) };
}
