import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What attacks may not change of the host: read before and after them. Linux only. */
export interface HostState {
  /** Process ids of the fork servers of this process, sorted. */
  readonly forkServers: readonly number[];
  /** Resident megabytes of the largest of them. */
  readonly forkServerMb: number;
  readonly zombies: number;
  /** Open descriptors of this process. */
  readonly descriptors: number;
  /** Files that rows try to write. */
  readonly files: readonly string[];
}

/** Every path that a row tries to create. */
const TARGETS = ['/tmp/spade-row', '/dev/shm/spade-row', '/spade-row', 'spade-row'];
const KILOBYTES = 1024;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  readonly residentMb: number;
}

function processes(): Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/status`, 'latin1');
      const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(text)?.[1] ?? '';
      const residentMb = Number(field('VmRSS')) / KILOBYTES;
      return [{ pid: Number(pid), parent: Number(field('PPid')), state: field('State'), residentMb }];
    } catch {
      return [];
    }
  });
}

const isForkServer = ({ pid }: Process): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('spade_sandbox');
  } catch {
    return false;
  }
};

/** Reads it. */
export function hostState(): HostState {
  const all = processes();
  const servers = all.filter((process_) => process_.parent === process.pid && isForkServer(process_));
  const pids = servers.map(({ pid }) => pid).sort((a, b) => a - b);
  return {
    forkServers: pids,
    forkServerMb: Math.max(0, ...servers.map(({ residentMb }) => residentMb)),
    zombies: all.filter(({ parent, state }) => state === 'Z' && (parent === process.pid || pids.includes(parent)))
      .length,
    descriptors: readdirSync('/proc/self/fd').length,
    files: TARGETS.filter((path) => existsSync(path)),
  };
}

/** Growth that is no leak: descriptors of warm processes, megabytes of a fork server's own lists. */
const SPARE_DESCRIPTORS = 24;
const SPARE_MB = 2;

/** What changed that should not have. */
export function harmToHost(before: HostState, after: HostState): { harm: 'escape' | 'denial'; complaint: string }[] {
  const denial = (complaint: string) => ({ harm: 'denial' as const, complaint });
  return [
    ...after.files.map((path) => ({ harm: 'escape' as const, complaint: `${path} was written` })),
    ...before.forkServers
      .filter((pid) => !after.forkServers.includes(pid))
      .map((pid) => denial(`fork server ${pid} died`)),
    ...(after.zombies > 0 ? [denial(`${after.zombies} dead processes were left`)] : []),
    ...(after.descriptors > before.descriptors + SPARE_DESCRIPTORS
      ? [denial(`descriptors grew from ${before.descriptors} to ${after.descriptors}`)]
      : []),
    ...(after.forkServerMb > before.forkServerMb + SPARE_MB
      ? [denial(`the fork server grew from ${before.forkServerMb.toFixed(1)} to ${after.forkServerMb.toFixed(1)} MB`)]
      : []),
  ];
}
