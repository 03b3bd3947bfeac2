import { Command } from 'commander';
import { cloudVerbs } from './verbs/cloud.ts';
import { compareVerb } from './verbs/compare.ts';
import { demoVerb } from './verbs/demo.ts';
import { envsVerb } from './verbs/envs.ts';
import { estimateVerb } from './verbs/estimate.ts';
import { importVerb } from './verbs/import.ts';
import { playVerb } from './verbs/play.ts';
import { reportVerb } from './verbs/report.ts';
import { runVerb } from './verbs/run.ts';
import { showVerb } from './verbs/show.ts';
import { statusVerb } from './verbs/status.ts';
import { validateVerb } from './verbs/validate.ts';

const EPILOGUE = `
Exit status: 0 done · 1 the answer is no (a program was refused, an iteration failed) · 2 wrong usage or input ·
  3 something is missing or down, try again later · 4 another process runs the experiment · 130 interrupted

Examples:
  $ spade demo                          five iterations with the embedded policy, and a report page
  $ spade run examples/learning.yaml    forty iterations; interrupt it and run it again, it goes on
  $ spade envs --top 5                  the environments with the highest regret
  $ spade help validate                 what a verb does, with examples`;

/** The `spade` command: every verb of `cli/verbs`. */
export function createProgram(): Command {
  const program = new Command('spade')
    .description('Self-play in adaptive synthetic executable environments, on this machine.')
    .showHelpAfterError('(add --help for usage and examples)')
    .addHelpText('after', EPILOGUE);
  const verbs = [
    demoVerb(),
    runVerb(),
    statusVerb(),
    reportVerb(),
    compareVerb(),
    envsVerb(),
    showVerb(),
    validateVerb(),
    importVerb(),
    playVerb(),
    estimateVerb(),
    ...cloudVerbs(),
  ];
  for (const verb of verbs) program.addCommand(verb);
  return program;
}
