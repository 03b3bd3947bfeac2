import type { NamedRun } from '../dashboard/comparison.ts';
import { benchmarkScores, meanDifficulty } from '../dashboard/data.ts';
import { decimal } from '../dashboard/format.ts';
import { textTable } from './text-table.ts';

interface Row {
  readonly name: string;
  readonly cells: ReadonlyMap<string, string>;
}

/** A line per run: benchmark score of every version that any run has scored, difficulty asked for at both ends. */
export function comparisonTable(runs: readonly NamedRun[]): string {
  const rows = runs.map(rowOf);
  const versions = runs.flatMap(({ data }) => benchmarkScores(data.records).map((score) => score.policyVersion));
  const columns = [...new Set(versions)].sort((a, b) => a - b).map((version) => `v${version}`);
  return textTable<Row>(
    [
      { heading: 'run', cell: (row) => row.name },
      ...[...columns, 'level'].map((heading) => ({
        heading,
        align: 'right' as const,
        cell: (row: Row) => row.cells.get(heading) ?? '·',
      })),
    ],
    rows,
  );
}

function rowOf({ name, data: { config, records } }: NamedRun): Row {
  const scores = benchmarkScores(records).map((score): [string, string] => [
    `v${score.policyVersion}`,
    `${decimal(score.score, 3)} ± ${decimal(score.standardError, 3)}`,
  ]);
  const last = records.at(-1);
  const level = `${decimal(config.controller.start)} → ${decimal(last ? meanDifficulty(last, config) : null)}`;
  return { name, cells: new Map([...scores, ['level', level]]) };
}
