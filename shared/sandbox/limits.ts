import { totalmem } from 'node:os';
import type { SandboxLimits } from './types.ts';

/** See the `@default` of each field in types.ts. */
export const DEFAULT_LIMITS: SandboxLimits = {
  stepMs: 1000,
  episodeMs: 20_000,
  loadMs: 2000,
  memoryMb: 192,
  observationBytes: 65_536,
  sourceBytes: 65_536,
  actionBytes: 1_048_576,
  rewardMagnitude: 1_000_000,
};

/** Share of the task's memory that episodes may claim together; the rest is for the fork server and its neighbours. */
const MEMORY_SHARE = 0.8;
const MEGABYTE = 1024 * 1024;

/** Memory of this task in bytes: the control group's limit when there is one, else the machine's. */
export function taskMemory(): number {
  const constrained = process.constrainedMemory();
  const machine = totalmem();
  return constrained > 0 && constrained < machine ? constrained : machine;
}

/**
 * Episodes that may run at once: what was asked for, or fewer when memory does not allow them all to reach their limit.
 * So the sum of the limits never brings the host's out-of-memory killer, which may hit a neighbour.
 * @throws {RangeError} unless `asked` is a positive integer
 */
export function admittedSlots(asked: number, memoryMb: number, memoryBytes = taskMemory()): number {
  if (!Number.isInteger(asked) || asked < 1) throw new RangeError(`slots must be a positive integer, got ${asked}`);
  const affordable = Math.floor((MEMORY_SHARE * memoryBytes) / (memoryMb * MEGABYTE));
  return Math.max(1, Math.min(asked, affordable));
}
