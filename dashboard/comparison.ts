import type { IterationRecord } from '../shared/contracts/index.ts';
import { type Chart, type Point, renderChart } from './chart.ts';
import { BENCHMARK_NOTE, benchmarkPoints, over } from './charts.ts';
import { meanDifficulty, type ReportData } from './data.ts';
import { escapeHtml } from './escape.ts';
import { decimal, percent } from './format.ts';
import { STYLE } from './style.ts';

/** An experiment beside others: seeds of one file, or arms of an ablation. */
export interface NamedRun {
  readonly name: string;
  readonly data: Pick<ReportData, 'config' | 'records'>;
}

/** The curves that tell runs apart, each with a line per run. */
export function comparisonCharts(runs: readonly NamedRun[]): Chart[] {
  const each = (value: (record: IterationRecord, run: NamedRun) => number | null) =>
    lines(runs, (run) => over(run.data.records, (record) => value(record, run)));
  return [
    {
      title: 'Ability on the fixed benchmark',
      note: BENCHMARK_NOTE,
      xLabel: 'policy version',
      series: lines(runs, ({ data }) => benchmarkPoints(data.records)),
      format: (value) => decimal(value),
    },
    {
      title: 'Difficulty that is asked for',
      note: 'Mean level over the skills, as the controller asks for it in the next window.',
      xLabel: 'iteration',
      series: each((record, { data }) => meanDifficulty(record, data.config)),
      format: (value) => decimal(value),
    },
    {
      title: 'Mean regret',
      note: 'What the hint is worth on the environments of each iteration.',
      xLabel: 'iteration',
      series: each((record) => record.scores.meanRegret),
      include: [0],
      format: (value) => decimal(value),
    },
    {
      title: 'Valid designs',
      note: 'Share of the requested designs that passed validation.',
      xLabel: 'iteration',
      series: each((record) => record.designs.validFraction),
      include: [0, 1],
      format: percent,
    },
  ];
}

/** The comparison as one self-contained HTML page: no script, no outside resource. The same data give the same page. */
export function renderComparison(runs: readonly NamedRun[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>SPADE: comparison</title><style>${STYLE}</style></head><body>
<header><h1>Comparison</h1><p class="sub">${escapeHtml(runs.map(({ name }) => name).join(', '))}</p></header>
<h2>Curves</h2><div class="charts">${comparisonCharts(runs).map(renderChart).join('')}</div>
<p class="foot">Written by <code>spade compare</code> from the records of the experiments.</p>
</body></html>
`;
}

function lines(runs: readonly NamedRun[], points: (run: NamedRun) => Point[]): Chart['series'] {
  return runs.map((run) => ({ name: run.name, points: points(run) }));
}
