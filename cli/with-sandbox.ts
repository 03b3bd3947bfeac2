import { platform } from 'node:os';
import { projectPython } from '../local/project.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../shared/sandbox/index.ts';

/** Processes that one validation has open side by side. */
const SLOTS_PER_JOB = 4;

/** Runs something with a sandbox of this machine, with room for so many validations at once. Only Linux can filter system calls; elsewhere a warning says what is missing. */
export async function withSandbox<T>(
  use: (sandbox: Sandbox) => Promise<T>,
  jobs = 1,
  options: Pick<SandboxOptions, 'limits' | 'extraModules'> = {},
): Promise<T> {
  const isolation = platform() === 'linux' ? 'required' : 'best-effort';
  const slots = SLOTS_PER_JOB * jobs;
  const sandbox = await startSandbox({ ...options, python: projectPython(process.env), slots, isolation });
  try {
    for (const missing of isolation === 'required' ? [] : sandbox.isolation.missing)
      console.error(`warning: isolation without ${missing}`);
    return await use(sandbox);
  } finally {
    await sandbox.close();
  }
}
