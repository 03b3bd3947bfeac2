import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { renderReport } from '../dashboard/report.ts';
import { type Experiment, reportData } from './experiment-data.ts';
import { fromLedger } from './ledger.ts';

/** Writes the report page of an experiment. @param out its path; `report.html` in the experiment's folder without one */
export async function writeReport(experiment: Experiment, out?: string): Promise<string> {
  const path = out === undefined ? join(experiment.home.root, 'report.html') : resolve(out);
  const spentUsd = await fromLedger(experiment, (ledger, name) => ledger.totalUsd(name));
  writeFileSync(path, renderReport(reportData(experiment, spentUsd)));
  return path;
}
