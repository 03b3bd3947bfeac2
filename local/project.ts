import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of the project. Source files of `local/` and bundles in `dist/` both lie one level below it. */
export const PROJECT_ROOT = join(import.meta.dirname, '..');

/** A path inside the project. */
export function projectPath(...parts: string[]): string {
  return join(PROJECT_ROOT, ...parts);
}

/** Python of the project's environment, made by set-up; `SPADE_PYTHON` names another one. */
export function projectPython(env: Readonly<Record<string, string | undefined>>): string {
  const venv = projectPath('.venv', ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  return env.SPADE_PYTHON ?? (existsSync(venv) ? venv : 'python3');
}
