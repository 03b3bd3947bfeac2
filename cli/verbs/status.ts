import { Command } from 'commander';
import { usd } from '../../dashboard/format.ts';
import type { TableServices } from '../../shared/adapters/dynamodb/open.ts';
import { type Experiment, openExperiment, readRecords } from '../experiment-data.ts';
import { iterationTable } from '../iteration-view.ts';
import { fromLedger, runnerOf } from '../ledger.ts';
import { experimentArgument, homeOption, withExamples } from '../options.ts';
import { folderOf, ledgerOf, stageOption, type TargetOptions, targetOption } from '../target.ts';

/** `spade status [EXPERIMENT]` */
export function statusVerb(): Command {
  const command = new Command('status')
    .description('Where an experiment stands: iterations, policy version, spend, and whether it runs now.')
    .addArgument(experimentArgument())
    .addOption(homeOption())
    .addOption(targetOption())
    .addOption(stageOption())
    .action(async (name: string | undefined, options: TargetOptions) => {
      const experiment = openExperiment(await folderOf(name, options), name);
      console.log(await statusText(experiment, await ledgerOf(options)));
    });
  return withExamples(command, ['status', 'status learning', 'status learning --target aws --stage prod']);
}

/**
 * The status as text.
 * @param cloud the ledger of the deployment that the experiment runs in, if it does
 */
export async function statusText(
  experiment: Experiment,
  cloud: TableServices['ledger'] | null = null,
): Promise<string> {
  const { config } = experiment;
  const records = readRecords(experiment);
  const runner = cloud === null ? runnerOf(experiment) : null;
  const ledger = cloud === null ? await fromLedger(experiment, readLedger) : await readLedger(cloud, config.experiment);
  const open = ledger?.iterations.filter(({ status }) => status !== 'completed').at(-1);
  const interrupted = cloud === null && runner === null && open?.status === 'running';
  const runs =
    runner === null ? cloud !== null && open?.status === 'running' && 'yes, in AWS' : `yes, process ${runner.pid}`;
  const lines = [
    `experiment  ${config.experiment} (profile ${config.profile}, seed ${config.seed})`,
    `iterations  ${records.length} of ${config.iterations} closed${open === undefined ? '' : `; ${open.iteration} is ${interrupted ? 'interrupted' : open.status}`}`,
    `policy      v${ledger?.policy ?? records.at(-1)?.nextPolicyVersion ?? 0} is current`,
    `spend       ${usd(ledger?.spentUsd)} of ${usd(config.budget.maxUsd)}`,
    `runs now    ${runs || 'no'}`,
    `folder      ${experiment.home.root}`,
  ];
  return records.length === 0 ? lines.join('\n') : `${lines.join('\n')}\n\n${iterationTable(records, config)}`;
}

async function readLedger(ledger: TableServices['ledger'], name: string) {
  const [iterations, policy, spentUsd] = await Promise.all([
    ledger.iterations(name),
    ledger.currentPolicy(name),
    ledger.totalUsd(name),
  ]);
  return { iterations, policy, spentUsd };
}
