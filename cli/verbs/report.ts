import { Command } from 'commander';
import { openExperiment } from '../experiment-data.ts';
import { experimentArgument, homeOption, withExamples } from '../options.ts';
import { writeReport } from '../write-report.ts';

/** `spade report [EXPERIMENT]` */
export function reportVerb(): Command {
  const command = new Command('report')
    .description('Write the report page of an experiment: one self-contained HTML file with curves and environments.')
    .addArgument(experimentArgument())
    .option('--out <file>', "where to write it; report.html in the experiment's folder without it")
    .addOption(homeOption())
    .action(async (name: string | undefined, { home, out }: { home: string; out?: string }) => {
      console.log(await writeReport(openExperiment(home, name), out));
    });
  return withExamples(command, ['report', 'report learning --out learning.html']);
}
