import { ENVIRONMENT_VARIABLES, iterationKeys, type RolloutJob } from '../../shared/contracts/index.ts';
import type { Store } from '../../shared/ports/index.ts';
import type { TaskTime } from '../task-time.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Leaves behind how long this task ran and how large it is, for the ledger, which the worker may not write. Only where the task definition
 * says its size: a laptop's time costs nothing.
 * @param startedAt when the process began
 */
export async function recordTaskTime(
  job: RolloutJob,
  env: Variables,
  startedAt: Date,
  episodes: Pick<Store, 'put'>,
  now: () => Date = () => new Date(),
): Promise<void> {
  const { taskVcpu, taskMemoryMb, capacity } = ENVIRONMENT_VARIABLES;
  if (!env[taskVcpu] || !env[taskMemoryMb]) return;
  const time: TaskTime = {
    startedAt: startedAt.toISOString(),
    seconds: (now().getTime() - startedAt.getTime()) / 1000,
    vcpu: Number(env[taskVcpu]),
    memoryMb: Number(env[taskMemoryMb]),
    capacity: env[capacity] === 'FARGATE_SPOT' ? 'FARGATE_SPOT' : 'FARGATE',
  };
  const name = `${job.kind}-v${job.policyVersion}-${job.shard}-${startedAt.getTime()}`;
  await episodes.put(iterationKeys(job.experiment, job.iteration).taskTime(name), JSON.stringify(time));
}
