import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { projectPath, projectPython } from '../../local/project.ts';

/** Python with what `scripts/emulator/requirements.txt` names, in `dist/emulator-venv`; `SPADE_EMULATOR_PYTHON` names another one. */
export function emulatorPython(): string {
  if (process.env.SPADE_EMULATOR_PYTHON) return process.env.SPADE_EMULATOR_PYTHON;
  const requirements = projectPath('scripts/emulator/requirements.txt');
  const python = projectPath('dist/emulator-venv/bin/python');
  const stamp = projectPath('dist/emulator-venv/.made');
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return python;
  execFileSync(projectPython(process.env), ['-m', 'venv', projectPath('dist/emulator-venv')], { stdio: 'inherit' });
  execFileSync(python, ['-m', 'pip', 'install', '-q', '-r', requirements], { stdio: 'inherit' });
  writeFileSync(stamp, wanted);
  return python;
}
