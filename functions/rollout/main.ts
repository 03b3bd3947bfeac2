import { openPolicy } from '../../shared/adapters/policy/open.ts';
import { createProgress } from '../../shared/adapters/progress.ts';
import { openStores } from '../../shared/adapters/stores.ts';
import { requiredVariable, type Variables } from '../../shared/adapters/variables.ts';
import { ENVIRONMENT_VARIABLES, type ExperimentConfig, RolloutJob } from '../../shared/contracts/index.ts';
import { startSandbox } from '../../shared/sandbox/index.ts';
import { readExperiment } from '../experiment.ts';
import { readObject } from '../objects.ts';
import { playJob } from './rollout.ts';
import { recordTaskTime } from './task-time.ts';

/**
 * The Fargate unit: plays the job that `SPADE_JOB` names (a key in the episodes store) and leaves.
 *
 * Exit code 0: every object of the job is written. 143: told to stop (SIGTERM, SIGINT); what was complete is written, the rest is
 * played by whoever gets the job next. 1: the host or the policy server failed; the last line on stderr says how. A failed episode is
 * never a failed job.
 */

/** Fargate sends SIGKILL 30 s after SIGTERM (`stopTimeout`); running episodes have this long, and writing takes a moment. */
const GRACE_MS = 15_000;

const STOPPED = 143;

async function main(env: Variables): Promise<number> {
  const startedAt = new Date();
  const stop = new AbortController();
  const abandon = new AbortController();
  listen(stop, abandon);
  const stores = openStores(env);
  const jobKey = requiredVariable(env, ENVIRONMENT_VARIABLES.job, 'the key of a job in the episodes store');
  const policyUri = requiredVariable(env, ENVIRONMENT_VARIABLES.policy, 'http(s)://host/v1 or sagemaker://endpoint');
  const job = await readObject(stores.episodes, jobKey, RolloutJob);
  const config = await readExperiment(stores.episodes, job.experiment);
  const { requestTimeoutSeconds, maxAttempts } = config.serving;
  const policy = openPolicy(policyUri, { requestTimeoutMs: requestTimeoutSeconds * 1000, maxAttempts });
  const sandbox = await startSandbox(sandboxOptions(config, env));
  try {
    const deps = { stores, policy, sandbox, progress: createProgress(), policyUri };
    return (await playJob(job, config, deps, stop.signal, abandon.signal)) === 'complete' ? 0 : STOPPED;
  } finally {
    await sandbox.close();
    await recordTaskTime(job, env, startedAt, stores.episodes);
  }
}

/** The first signal ends the job in good order within {@link GRACE_MS}, the second one at once. */
function listen(stop: AbortController, abandon: AbortController): void {
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(STOPPED);
    stop.abort();
    setTimeout(() => abandon.abort(), GRACE_MS).unref();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function sandboxOptions({ limits }: ExperimentConfig, env: Variables): Parameters<typeof startSandbox>[0] {
  const { stepMs, episodeMs, memoryMb, observationBytes, sourceBytes, modules } = limits;
  const python = env[ENVIRONMENT_VARIABLES.python];
  const door = env[ENVIRONMENT_VARIABLES.door];
  return {
    slots: limits.episodeConcurrency,
    isolation: env[ENVIRONMENT_VARIABLES.sandbox] === 'best-effort' ? 'best-effort' : 'required',
    limits: { stepMs, episodeMs, memoryMb, observationBytes, sourceBytes },
    extraModules: modules,
    ...(python && { python }),
    ...(door && { door }),
  };
}

main(process.env).then(
  // Idle keep-alive connections would hold the process for their timeout.
  (code) => process.exit(code),
  (error: unknown) => {
    const { name, message, stack } = error as Error;
    process.stderr.write(`${stack?.startsWith(name) ? stack : `${name}: ${message}`}\n`);
    process.stderr.write(`${JSON.stringify({ event: 'failed', error: name, cause: message })}\n`);
    process.exit(1);
  },
);
