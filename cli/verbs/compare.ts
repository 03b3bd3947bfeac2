import { writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { chartPicture } from '../../dashboard/chart.ts';
import { comparisonCharts, type NamedRun, renderComparison } from '../../dashboard/comparison.ts';
import { CHART_STYLE } from '../../dashboard/style.ts';
import { comparisonTable } from '../comparison-view.ts';
import { openExperiment, readRecords } from '../experiment-data.ts';
import { withExamples } from '../options.ts';

interface CompareOptions {
  readonly out: string;
  readonly picture?: string;
}

/** `spade compare FOLDER…` */
export function compareVerb(): Command {
  const command = new Command('compare')
    .description(
      'Put experiments side by side, seeds or ablations: a table, and a page with a line per run in each curve.',
    )
    .argument(
      '<folders...>',
      'experiment folders (a home and an experiment), each with a name before it if you like: NAME=FOLDER',
    )
    .option('--out <file>', 'where to write the page', 'comparison.html')
    .option('--picture <file>', 'write the benchmark curves as an SVG file too')
    .action((folders: string[], options: CompareOptions) => {
      const runs = folders.map(namedRun);
      console.log(comparisonTable(runs));
      writeFileSync(options.out, renderComparison(runs));
      console.log(`\npage: ${resolve(options.out)}`);
      const [benchmark] = comparisonCharts(runs);
      if (options.picture === undefined || benchmark === undefined) return;
      writeFileSync(options.picture, chartPicture(benchmark, CHART_STYLE));
      console.log(`picture: ${resolve(options.picture)}`);
    });
  return withExamples(command, [
    'compare .spade/learning .spade/no-memory',
    "compare 'seed 1=runs/1/learning' 'seed 2=runs/2/learning' --picture seeds.svg",
  ]);
}

function namedRun(argument: string): NamedRun {
  const [, name, path] = /^(?:([^=]+)=)?(.+)$/.exec(argument) ?? [];
  const folder = resolve(path ?? argument);
  const experiment = openExperiment(dirname(folder), basename(folder));
  const { config } = experiment;
  return {
    name: name ?? `${config.experiment}, seed ${config.seed}`,
    data: { config, records: readRecords(experiment) },
  };
}
