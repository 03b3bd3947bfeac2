import { Command } from 'commander';
import type { EnvironmentView } from '../../dashboard/data.ts';
import { decimal, percent } from '../../dashboard/format.ts';
import { findEnvironment, openExperiment, readEnvironments } from '../experiment-data.ts';
import { homeOption, withExamples } from '../options.ts';
import { printable, printableLines } from '../text-table.ts';

interface Options {
  readonly home: string;
  readonly experiment?: string;
  readonly json?: true;
}

/** `spade show ENV` */
export function showVerb(): Command {
  const command = new Command('show')
    .description('Show an environment: where it came from, what play measured, its verdict, hint and source.')
    .argument('<env>', 'hash of the environment, or how it begins')
    .option('--experiment <name>', 'name of an experiment in the home; without it, the one touched last')
    .option('--json', 'print everything as JSON')
    .addOption(homeOption())
    .action((hash: string, options: Options) => {
      const view = findEnvironment(readEnvironments(openExperiment(options.home, options.experiment)), hash);
      console.log(options.json ? JSON.stringify(view, null, 2) : environmentText(view));
    });
  return withExamples(command, ['show 3fa9c1', 'show 3fa9c1 --json']);
}

function origin(provenance: EnvironmentView['card']['provenance']): string[] {
  if ('pool' in provenance) {
    const metadata = Object.entries(provenance.metadata).map(([name, value]) => `${name} ${value}`);
    return [
      `  imported    ${printable(provenance.pool)}, line ${provenance.line}, ${printable(provenance.id)}`,
      ...(metadata.length > 0 ? [`  pool says   ${printable(metadata.join(', '))}`] : []),
    ];
  }
  const { iteration, designIndex, turn, policyVersion, corpusLine, promptSet } = provenance;
  return [
    `  made        iteration ${iteration}, design ${designIndex}, turn ${turn}, by policy v${policyVersion}`,
    `  grounded    ${corpusLine === null ? 'no document' : `corpus line ${corpusLine}`}, prompts ${promptSet}`,
  ];
}

/** An environment for people. Everything that a model wrote is made harmless for a terminal. */
export function environmentText({ card, statistics, source, hint }: EnvironmentView): string {
  const { provenance, verdict } = card;
  const levels = Object.entries(card.difficulty)
    .map(([name, level]) => `${name} ${level}`)
    .join(', ');
  const measured =
    statistics === null
      ? 'not played'
      : `regret ${decimal(statistics.regret, 3)} over ${statistics.pairs} seeds; win rate ${percent(statistics.winRate.unhinted)} unhinted, ${percent(statistics.winRate.hinted)} hinted`;
  const episodes = Object.entries(statistics?.episodes ?? {})
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
  return [
    `${printable(card.title)}  ${card.hash}`,
    `  skill       ${card.skill}`,
    `  difficulty  ${levels}`,
    ...origin(provenance),
    `  measured    ${measured}`,
    ...(episodes === ''
      ? []
      : [`  episodes    ${episodes}${statistics?.flags.length ? `; flags ${statistics.flags.join(', ')}` : ''}`]),
    `  verdict     ${verdict.layers.map(({ layer, passed }) => `${layer} ${passed ? '✓' : '✗'}`).join('  ')}`,
    ...(verdict.warnings.length > 0 ? [`  warnings    ${verdict.warnings.join(', ')}`] : []),
    `  hint        ${printable(hint.trim()) || 'none'}`,
    '',
    printableLines(source),
  ].join('\n');
}
