import { Command } from 'commander';
import { projectPath } from '../../local/project.ts';
import { homeOption, wholeNumber, withExamples } from '../options.ts';
import { type RunVerbOptions, runAndShow } from '../run-experiment.ts';

/** `spade demo` */
export function demoVerb(): Command {
  const command = new Command('demo')
    .description('Five iterations of self-play with the embedded policy, then a report page with curves.')
    .option('--iterations <n>', 'run up to this iteration', wholeNumber(1, 9999))
    .addOption(homeOption())
    .action(async (options: RunVerbOptions) => {
      process.exitCode = await runAndShow(projectPath('examples', 'demo.yaml'), options);
    });
  return withExamples(command, ['demo', 'demo --iterations 10']);
}
