import { delimiter } from 'node:path';
import type { ExperimentConfig } from '../shared/contracts/index.ts';
import { startSandbox } from '../shared/sandbox/index.ts';
import type { Sandbox } from '../shared/sandbox/types.ts';
import { baseEnvironment } from './drivers/child.ts';
import { type PolicyServer, startPolicyServer } from './processes/policy-server.ts';
import { startTrainer, type Trainer, type TrainerOptions } from './processes/trainer.ts';
import { projectPath, projectPython } from './project.ts';

/** Programs validated side by side in this process; the rollout workers have sandboxes of their own. */
const VALIDATION_SLOTS = 16;

/** Where Python finds the project's packages. */
export const PYTHON_PATH = ['grpo', 'policy-server', 'tiny-policy']
  .map((room) => projectPath('training-jobs', room))
  .join(delimiter);

/** Starts what runs training jobs. */
export type LaunchTrainer = (options: TrainerOptions) => Trainer;

/** Processes that live as long as a run. */
export interface Children {
  readonly python: string;
  /** Environment of any child, before what is its own. */
  readonly env: Readonly<Record<string, string>>;
  /** Null when the experiment names a policy server of its own. */
  readonly server: PolicyServer | null;
  readonly trainer: Trainer;
  /** Starts beside the policy server, and is awaited by the first validation. */
  readonly sandbox: Promise<Sandbox>;
  stop(): Promise<void>;
}

/**
 * Starts the policy server, the warm trainer and the sandbox of the validation together: each needs a second or more, and none
 * needs another.
 * @throws {PolicyUnavailable} when the policy server does not come up
 */
export async function startChildren(
  config: ExperimentConfig,
  onTrainerLine: (line: string) => void,
  launchTrainer: LaunchTrainer = startTrainer,
): Promise<Children> {
  const python = projectPython(process.env);
  const env = { ...baseEnvironment(process.env), OMP_NUM_THREADS: String(config.training.threads) };
  const common = { python, pythonPath: PYTHON_PATH, env };
  const { modules, ...limits } = config.limits;
  const options = { python, slots: VALIDATION_SLOTS, isolation: isolation(), limits, extraModules: modules };
  const sandbox = startSandbox(options);
  // Its failure is told by the first validation that awaits it.
  sandbox.catch(() => undefined);
  const trainer = launchTrainer({ ...common, onLine: onTrainerLine });
  const close = () => sandbox.then((running) => running.close()).catch(() => undefined);
  try {
    const own = config.serving.policy === 'auto';
    const server = own ? await startPolicyServer({ ...common, threads: config.training.threads }) : null;
    const stop = async () => void (await Promise.all([server?.stop(), trainer.stop(), close()]));
    return { python, env, server, trainer, sandbox, stop };
  } catch (error) {
    await Promise.all([trainer.stop(), close()]);
    throw error;
  }
}

/** Outside Linux there is no system-call filter; the sandbox reports what is missing, and the command line says so. */
function isolation(): 'required' | 'best-effort' {
  return process.platform === 'linux' ? 'required' : 'best-effort';
}
