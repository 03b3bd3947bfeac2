import { join } from 'node:path';
import { Option } from 'commander';
import type { TableServices } from '../shared/adapters/dynamodb/open.ts';

/** Where an experiment lives. */
export interface TargetOptions {
  readonly home: string;
  readonly target: 'local' | 'aws';
  readonly stage: string;
}

/** `--target`, the same in every verb that can look at both. */
export function targetOption(): Option {
  return new Option('--target <where>', 'this machine, or the AWS account of the credentials')
    .choices(['local', 'aws'])
    .default('local');
}

/** `--stage`, which deployment of the account. */
export function stageOption(): Option {
  return new Option('--stage <name>', 'stage of the deployment in AWS').default('dev');
}

/**
 * The folder to read an experiment from: the home itself, or a copy of what a deployment has, fetched now.
 * @throws {NotFound} when the stage or the experiment is not there
 */
export async function folderOf(
  experiment: string | undefined,
  { home, target, stage }: TargetOptions,
): Promise<string> {
  if (target === 'local') return home;
  const folder = join(home, `aws-${stage}`);
  if (experiment === undefined) return folder;
  const { openDeployment } = await import('../cloud/index.ts');
  const { mirrorExperiment } = await import('../cloud/mirror.ts');
  await mirrorExperiment(experiment, await openDeployment(stage), folder);
  return folder;
}

/** The ledger of a deployment, or null for this machine, whose ledger lies in the experiment's folder. */
export async function ledgerOf({ target, stage }: TargetOptions): Promise<TableServices['ledger'] | null> {
  if (target === 'local') return null;
  const { openDeployment } = await import('../cloud/index.ts');
  return (await openDeployment(stage)).table.ledger;
}
