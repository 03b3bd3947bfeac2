import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { openDeployment, startExperiment, stopExperiment } from '../../cloud/index.ts';
import { readExperimentFile } from '../../local/index.ts';
import { requestId } from '../../shared/contracts/index.ts';
import { openExperiment, readRecords } from '../experiment-data.ts';
import { iterationTable } from '../iteration-view.ts';
import { homeOption, wholeNumber, withExamples } from '../options.ts';
import { folderOf, stageOption } from '../target.ts';

/** Time between two looks at a running experiment, milliseconds; an iteration takes minutes to hours. */
const WATCH_MS = 20_000;

/** Verbs for experiments in an AWS account, with the caller's credentials: `deploy-info`, `start`, `watch`, `stop`. */
export function cloudVerbs(): Command[] {
  return [deployInfo(), start(), watch(), stop()];
}

function deployInfo(): Command {
  const command = new Command('deploy-info')
    .description('Where the parts of a deployment are: buckets, table, queue, state machine, endpoint.')
    .addOption(stageOption())
    .action(async ({ stage }: { stage: string }) => {
      const { variables } = await openDeployment(stage);
      const shown = Object.entries(variables).filter(([name]) => name.startsWith('SPADE_') && name !== 'SPADE_SERVING');
      console.log(
        shown.map(([name, value]) => `${name.slice('SPADE_'.length).toLowerCase().padEnd(14)} ${value}`).join('\n'),
      );
    });
  return withExamples(command, ['deploy-info', 'deploy-info --stage prod']);
}

function start(): Command {
  const command = new Command('start')
    .description('Start an experiment in AWS, or go on with it. It costs money; its budget.maxUsd bounds it.')
    .argument('<experiment.yaml>', 'experiment file')
    .requiredOption('--target <aws>', 'aws; on this machine it is "spade run"')
    .option('--iterations <n>', 'up to this iteration instead of the number in the file', wholeNumber(1, 9999))
    .option('--seed <n>', 'seed of a new experiment', wholeNumber(0, 0xffffffff))
    .addOption(stageOption())
    .action(async (file: string, options: { stage: string; iterations?: number; seed?: number }) => {
      const { experiment } = readExperimentFile({ file, ...options });
      const request = await startExperiment({ file, ...options }, await openDeployment(options.stage));
      console.log(
        request === null
          ? `${experiment} has all its iterations`
          : `requested ${requestId(request)}; spade watch ${experiment} follows it`,
      );
    });
  return withExamples(command, [
    'start my-experiment.yaml --target aws',
    'start my-experiment.yaml --target aws --stage prod',
  ]);
}

function watch(): Command {
  const command = new Command('watch')
    .description('Follow an experiment in AWS: its table again after each iteration, until it has all of them.')
    .argument('<experiment>', 'name of the experiment')
    .addOption(stageOption())
    .addOption(homeOption())
    .action(async (name: string, options: { stage: string; home: string }) => {
      for (let shown = -1; ; await wait(WATCH_MS)) {
        const experiment = openExperiment(await folderOf(name, { ...options, target: 'aws' }), name);
        const records = readRecords(experiment);
        if (records.length > shown && records.length > 0) console.log(iterationTable(records, experiment.config));
        shown = records.length;
        if (shown >= experiment.config.iterations || records.at(-1)?.stopReason) return;
      }
    });
  return withExamples(command, ['watch my-experiment']);
}

function stop(): Command {
  const command = new Command('stop')
    .description('Ask an experiment in AWS to stop when its current iteration has closed; its endpoint goes with it.')
    .argument('<experiment>', 'name of the experiment')
    .addOption(stageOption())
    .action(async (name: string, { stage }: { stage: string }) => {
      await stopExperiment(name, await openDeployment(stage));
      console.log(`${name} stops when its current iteration has closed`);
    });
  return withExamples(command, ['stop my-experiment']);
}
