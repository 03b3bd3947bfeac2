import { platform } from 'node:os';
import { projectPython } from '../local/project.ts';
import { type Sandbox, startSandbox } from '../shared/sandbox/index.ts';

/** Runs something with a sandbox of this machine. Only Linux can filter system calls; elsewhere a warning says what is missing. */
export async function withSandbox<T>(use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const isolation = platform() === 'linux' ? 'required' : 'best-effort';
  const sandbox = await startSandbox({ python: projectPython(process.env), slots: 4, isolation });
  try {
    for (const missing of isolation === 'required' ? [] : sandbox.isolation.missing)
      console.error(`warning: isolation without ${missing}`);
    return await use(sandbox);
  } finally {
    await sandbox.close();
  }
}
