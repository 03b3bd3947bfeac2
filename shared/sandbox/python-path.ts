import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SandboxUnavailable } from './errors.ts';

const PACKAGE = join('spade_sandbox', 'launch.py');

/**
 * The folder that holds the Python package `spade_sandbox`: `SPADE_SANDBOX_PYTHONPATH` when set, else `python/` beside
 * this module (source tree) or beside the bundle that contains it.
 * @throws {SandboxUnavailable} when it is nowhere
 */
export function sandboxPythonPath(environment: NodeJS.ProcessEnv = process.env): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const configured = environment.SPADE_SANDBOX_PYTHONPATH;
  const candidates = configured ? [resolve(configured)] : [join(here, 'python'), join(here, 'sandbox', 'python')];
  const found = candidates.find((folder) => existsSync(join(folder, PACKAGE)));
  if (found === undefined) throw new SandboxUnavailable(`no ${PACKAGE} under ${candidates.join(' or ')}`);
  return found;
}
