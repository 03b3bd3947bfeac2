import { Command } from 'commander';
import { isRefused } from '../../cloud/budget.ts';
import { usd } from '../../dashboard/format.ts';
import { type Estimate, estimate, type Range } from '../../shared/domain/cost/index.ts';
import { parseExperiment } from '../../shared/domain/experiment-file.ts';
import { experimentWarnings } from '../../shared/domain/experiment-rules.ts';
import { EXIT } from '../exit-codes.ts';
import { withExamples } from '../options.ts';
import { readTextFile } from '../read-file.ts';
import { textTable } from '../text-table.ts';

/** `spade estimate EXPERIMENT.yaml` */
export function estimateVerb(): Command {
  const command = new Command('estimate')
    .description('What an experiment would cost on AWS, low and high, per phase. Spends nothing and asks nobody.')
    .argument('<experiment.yaml>', 'experiment file')
    .option('--json', 'print the estimate as JSON')
    .action((file: string, { json }: { json?: true }) => {
      const config = parseExperiment(readTextFile(file), file);
      const result = estimate(config);
      for (const warning of experimentWarnings(config)) console.error(`warning: ${warning}`);
      console.log(
        json ? JSON.stringify(result, null, 2) : estimateText(result, config.iterations, config.budget.maxUsd),
      );
      if (isRefused(result, config)) process.exitCode = EXIT.negative;
    });
  return withExamples(command, ['estimate examples/learning.yaml', 'estimate my-experiment.yaml --json']);
}

/** An estimate for people. */
export function estimateText(result: Estimate, iterations: number, maxUsd: number): string {
  const range = ({ low, high }: Range) => `${usd(low)} – ${usd(high)}`;
  const lines = [
    ...result.perIteration.map(({ phase, what, usd: amount }) => ({
      name: phase as string,
      what,
      amount: range(amount),
    })),
    { name: 'iteration', what: 'all phases', amount: range(result.iteration) },
    { name: 'experiment', what: `${iterations} iterations`, amount: range(result.experiment) },
  ];
  const table = textTable(
    [
      { heading: 'phase', cell: (line) => line.name },
      { heading: 'what', cell: (line) => line.what },
      { heading: 'USD', cell: (line) => line.amount, align: 'right' },
    ],
    lines,
  );
  const above = `above the cap of ${usd(maxUsd)} (budget.maxUsd)`;
  const refused = `${above}, as is the lower: "spade start" refuses it`;
  const stops = `${above}: the run may stop before its end`;
  const within = `within the cap of ${usd(maxUsd)}`;
  const cap = result.experiment.low > maxUsd ? refused : result.exceedsBudget ? stops : within;
  return [table, '', `The upper end is ${cap}.`, 'Assumed:', ...result.assumptions.map((line) => `  - ${line}`)].join(
    '\n',
  );
}
