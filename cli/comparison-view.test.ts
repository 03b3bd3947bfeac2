import { expect, test } from 'vitest';
import { reportFor } from '../dashboard/testing.ts';
import { comparisonTable } from './comparison-view.ts';

test('a line per run, a column per scored version of any run', () => {
  const lines = comparisonTable([
    { name: 'seed 1', data: reportFor(2) },
    { name: 'seed 2', data: reportFor(3) },
  ]).split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]?.split(/\s+/)).toEqual(['run', 'v0', 'v1', 'v2', 'level']);
  expect(lines[1]).toMatch(/^seed 1 +0\.250 ± \d\.\d{3} +0\.260 ± \d\.\d{3} +· /);
  expect(lines[2]).toMatch(/0\.270 ± \d\.\d{3} +\d\.\d\d → \d\.\d\d$/);
});

test('a run without a closed iteration has no scores and no last level', () => {
  expect(comparisonTable([{ name: 'new', data: reportFor(0) }])).toMatch(/^new +\d\.\d\d → –$/m);
});
