import { type ChildEnd, startChild } from './child.ts';
import { type Integration, IntegrationError, type Json } from './integrations.ts';
import { assertOverridesSize } from './limits.ts';

interface RunTaskRequest {
  readonly TaskDefinition: string;
  readonly Overrides: {
    readonly ContainerOverrides: readonly {
      readonly Name: string;
      readonly Environment: readonly { readonly Name: string; readonly Value: string }[];
    }[];
  };
}

export interface EcsDriverOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** What the task definition holds: the child's environment before the overrides. */
  readonly env: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
  /** Told how a task ended badly: the state machine plays the shard again or counts it as lost, and keeps no word of it. */
  readonly onFailure?: (description: string) => void;
}

/** `ecs:runTask.sync` as a child process: the task definition's command, its environment with the request's overrides over it. */
export function ecsDriver(options: EcsDriverOptions): Integration {
  return async (request, signal) => {
    const task = request as unknown as RunTaskRequest;
    assertOverridesSize(task.Overrides as unknown as Json);
    const overrides = task.Overrides.ContainerOverrides.flatMap((container) => container.Environment);
    const env = { ...options.env, ...Object.fromEntries(overrides.map(({ Name, Value }) => [Name, Value])) };
    const child = startChild({ ...options, env });
    const abort = () => void child.stop();
    signal.addEventListener('abort', abort, { once: true });
    const end = await child.ended;
    signal.removeEventListener('abort', abort);
    if (end.code === 0) return description(task, end) as Json;
    const failure = JSON.stringify(description(task, end));
    options.onFailure?.(failure);
    throw new IntegrationError('States.TaskFailed', failure);
  };
}

/** As much of DescribeTasks' answer as tells how the task ended. */
function description(task: RunTaskRequest, end: ChildEnd) {
  const name = task.Overrides.ContainerOverrides[0]?.Name ?? 'task';
  return {
    TaskDefinitionArn: task.TaskDefinition,
    LastStatus: 'STOPPED',
    StopCode: 'EssentialContainerExited',
    Containers: [{ Name: name, ExitCode: end.code ?? 137, Reason: end.code === 0 ? '' : end.stderr.slice(-1024) }],
  };
}
