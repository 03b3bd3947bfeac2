import { Command } from 'commander';
import { byInterest, type EnvironmentView, meanLevel } from '../../dashboard/data.ts';
import { decimal, percent } from '../../dashboard/format.ts';
import { type ExperimentConfig, InvalidInput } from '../../shared/contracts/index.ts';
import { openExperiment, readEnvironments } from '../experiment-data.ts';
import { homeOption, wholeNumber, withExamples } from '../options.ts';
import { poolRow } from '../pool-row.ts';
import { textTable } from '../text-table.ts';

interface Options {
  readonly home: string;
  readonly experiment?: string;
  readonly skill?: string;
  readonly top: number;
  readonly json?: true;
  readonly pool?: true;
}

/** `spade envs` */
export function envsVerb(): Command {
  const command = new Command('envs')
    .description('List the environments that were admitted, highest regret first.')
    .option('--skill <skill>', 'only this skill')
    .option('--top <n>', 'at most this many', wholeNumber(1, 100_000), 20)
    .option('--experiment <name>', 'name of an experiment in the home; without it, the one touched last')
    .option('--json', 'print cards and statistics as JSON')
    .option('--pool', 'print a pool, one program a line, as "spade import" takes it')
    .addOption(homeOption())
    .action((options: Options) => {
      const experiment = openExperiment(options.home, options.experiment);
      const found = selected(readEnvironments(experiment), experiment.config, options);
      if (options.pool) process.stdout.write(found.map((view) => `${poolRow(view)}\n`).join(''));
      else if (options.json) console.log(JSON.stringify(found.map(withoutTexts), null, 2));
      else console.log(environmentTable(found, experiment.config));
    });
  return withExamples(command, [
    'envs',
    'envs --skill "Spatial Reasoning" --top 5',
    'envs --json > environments.json',
    'envs --pool --top 100000 > pool.jsonl',
  ]);
}

const withoutTexts = ({ card, statistics }: EnvironmentView) => ({ card, statistics });

function selected(
  all: readonly EnvironmentView[],
  config: ExperimentConfig,
  { skill, top }: Options,
): EnvironmentView[] {
  if (skill !== undefined && !config.skills.includes(skill)) {
    throw new InvalidInput('--skill', [`${skill} is none of ${config.skills.join(', ')}`]);
  }
  return all
    .filter((view) => skill === undefined || view.card.skill === skill)
    .sort(byInterest)
    .slice(0, top);
}

/** Environments as a table. */
export function environmentTable(views: readonly EnvironmentView[], config: ExperimentConfig): string {
  return textTable(
    [
      { heading: 'environment', cell: ({ card }) => card.hash.slice(0, 10) },
      {
        heading: 'it',
        cell: ({ card }) => ('pool' in card.provenance ? 'pool' : String(card.provenance.iteration)),
        align: 'right',
      },
      { heading: 'skill', cell: ({ card }) => card.skill },
      { heading: 'title', cell: ({ card }) => card.title },
      { heading: 'level', cell: ({ card }) => decimal(meanLevel(card.difficulty, config), 1), align: 'right' },
      { heading: 'regret', cell: ({ statistics }) => decimal(statistics?.regret, 3), align: 'right' },
      { heading: 'win', cell: ({ statistics }) => percent(statistics?.winRate.unhinted), align: 'right' },
      { heading: 'hinted', cell: ({ statistics }) => percent(statistics?.winRate.hinted), align: 'right' },
      { heading: 'flags', cell: ({ statistics }) => statistics?.flags.join(' ') ?? 'not played' },
    ],
    views,
  );
}
