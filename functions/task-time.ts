import * as z from 'zod';
import { type IterationInput, iterationKeys } from '../shared/contracts/index.ts';
import type { Store } from '../shared/ports/index.ts';
import { readObject } from './objects.ts';

/** What a rollout task says of itself when it ends. Pulling the image and starting is billed on top and is not in it. */
export const TaskTime = z.strictObject({
  startedAt: z.iso.datetime(),
  seconds: z.number().min(0),
  vcpu: z.number().positive(),
  memoryMb: z.int().positive(),
  capacity: z.enum(['FARGATE', 'FARGATE_SPOT']),
});
export type TaskTime = z.infer<typeof TaskTime>;

/** Names of the price table's units by capacity. */
const UNITS = {
  FARGATE: { vcpu: 'fargateVcpuSeconds', memory: 'fargateGbSeconds' },
  FARGATE_SPOT: { vcpu: 'fargateSpotVcpuSeconds', memory: 'fargateSpotGbSeconds' },
} as const;

/**
 * What the tasks of an iteration used since an attempt began, by the price table's units; earlier ones are in an earlier attempt's entry. A
 * task that was killed outright has left no word and is not counted.
 */
export async function tasksUsage(
  { experiment, iteration }: IterationInput,
  since: string,
  episodes: Store,
): Promise<Record<string, number>> {
  const keys = await episodes.list(iterationKeys(experiment, iteration).taskTimesPrefix);
  const times = await Promise.all(keys.map((key) => readObject(episodes, key, TaskTime)));
  const usage: Record<string, number> = {};
  for (const { startedAt, seconds, vcpu, memoryMb, capacity } of times) {
    if (startedAt < since) continue;
    const units = UNITS[capacity];
    usage[units.vcpu] = (usage[units.vcpu] ?? 0) + seconds * vcpu;
    usage[units.memory] = (usage[units.memory] ?? 0) + (seconds * memoryMb) / 1024;
  }
  return usage;
}
