import type { Host } from '../functions/host.ts';
import { InvalidInput } from '../shared/contracts/index.ts';
import type { Children } from './children.ts';
import { DIE_WITH_PARENT } from './drivers/child.ts';
import { ecsDriver } from './drivers/ecs.ts';
import type { Integrations } from './drivers/integrations.ts';
import { lambdaDriver } from './drivers/lambda.ts';
import { sageMakerDriver } from './drivers/sagemaker.ts';
import type { Home } from './home/layout.ts';
import { projectPath } from './project.ts';
import { unitsOn } from './units.ts';

export interface LocalIntegrationsParts {
  readonly host: Host;
  readonly home: Home;
  /** The units' variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly children: Children;
  readonly onLine: (line: string) => void;
}

/** The three service integrations on this machine. */
export function localIntegrations({ host, home, env, children, onLine }: LocalIntegrationsParts): Integrations {
  return {
    'arn:aws:states:::lambda:invoke': lambdaDriver(unitsOn(host)),
    'arn:aws:states:::ecs:runTask.sync': ecsDriver({
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', ...DIE_WITH_PARENT, rolloutEntry()],
      env: { ...children.env, ...env, OMP_NUM_THREADS: '1' },
      onLine,
      onFailure: (task) => host.telemetry.log.error('rollout task failed', { task }),
    }),
    'arn:aws:states:::sagemaker:createTrainingJob.sync': sageMakerDriver({
      jobs: home.jobs,
      bucket: (name) => folderOfBucket(home, name),
      train: (root, signal) => children.trainer.train(root, signal),
    }),
  };
}

/** The bundle beside a bundled host, the source beside a host that runs from source: one code base never runs the other's worker. */
function rolloutEntry(): string {
  const bundled = import.meta.dirname.endsWith('dist');
  return bundled ? projectPath('dist/rollout.mjs') : projectPath('functions/rollout/main.ts');
}

/** Buckets of the rendered machine are named after their stores. */
function folderOfBucket(home: Home, name: string): string {
  const folder = home.stores[name as keyof Home['stores']];
  if (!folder) throw new InvalidInput(`bucket ${name}`, [`expected one of ${Object.keys(home.stores).join(', ')}`]);
  return folder;
}
