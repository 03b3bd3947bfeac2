import { expect, test } from 'vitest';
import { chartPicture } from './chart.ts';
import { comparisonCharts, type NamedRun, renderComparison } from './comparison.ts';
import { reportFor } from './testing.ts';

const runs: NamedRun[] = [
  { name: 'seed 1', data: reportFor(3) },
  { name: 'seed <2>', data: reportFor(5) },
];

test('each chart has a line per run with all of its points', () => {
  for (const chart of comparisonCharts(runs)) {
    expect(chart.series.map(({ name, points }) => [name, points.length])).toEqual([
      ['seed 1', 3],
      ['seed <2>', 5],
    ]);
  }
});

test('the page names the runs, escaped', () => {
  const page = renderComparison(runs);
  expect(page).toContain('seed 1, seed &lt;2&gt;');
  expect(page).not.toContain('<2>');
});

test('runs without a closed iteration are no error', () => {
  expect(renderComparison([{ name: 'new', data: reportFor(0) }])).toContain('Nothing was measured yet.');
});

test('a picture holds its style and its legend', () => {
  const [benchmark] = comparisonCharts(runs);
  const picture = chartPicture(benchmark as NonNullable<typeof benchmark>, '.grid { stroke: red; }');
  expect(picture).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  for (const part of ['.grid { stroke: red; }', 'seed 1</tspan>', 'seed &lt;2&gt;</tspan>'])
    expect(picture).toContain(part);
  expect(picture.match(/<path /g)).toHaveLength(2);
});
