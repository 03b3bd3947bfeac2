import { Command } from 'commander';
import { openExperiment } from '../experiment-data.ts';
import { experimentArgument, homeOption, withExamples } from '../options.ts';
import { folderOf, stageOption, type TargetOptions, targetOption } from '../target.ts';
import { writeReport } from '../write-report.ts';

/** `spade report [EXPERIMENT]` */
export function reportVerb(): Command {
  const command = new Command('report')
    .description('Write the report page of an experiment: one self-contained HTML file with curves and environments.')
    .addArgument(experimentArgument())
    .option('--out <file>', "where to write it; report.html in the experiment's folder without it")
    .addOption(homeOption())
    .addOption(targetOption())
    .addOption(stageOption())
    .action(async (name: string | undefined, options: TargetOptions & { out?: string }) => {
      console.log(await writeReport(openExperiment(await folderOf(name, options), name), options.out));
    });
  return withExamples(command, ['report', 'report learning --out learning.html', 'report learning --target aws']);
}
