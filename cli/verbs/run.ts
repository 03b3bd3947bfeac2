import { Command } from 'commander';
import { homeOption, wholeNumber, withExamples } from '../options.ts';
import { type RunVerbOptions, runAndShow } from '../run-experiment.ts';

/** `spade run EXPERIMENT.yaml` */
export function runVerb(): Command {
  const command = new Command('run')
    .description('Run an experiment on this machine, or go on with one that was interrupted.')
    .argument(
      '<experiment.yaml>',
      'experiment file; what it leaves out comes from its profile (docs/experiments-format.md)',
    )
    .option('--iterations <n>', 'run up to this iteration instead of the number in the file', wholeNumber(1, 9999))
    .option('--seed <n>', 'seed of a new experiment instead of the one in the file', wholeNumber(0, 0xffffffff))
    .addOption(homeOption())
    .action(async (file: string, options: RunVerbOptions) => {
      process.exitCode = await runAndShow(file, options);
    });
  return withExamples(command, [
    'run examples/learning.yaml',
    'run examples/learning.yaml --iterations 60        # goes on after the 40 of the file',
    'run examples/learning.yaml --seed 2 --home .spade-seed2',
  ]);
}
