// Runs every check of the project, one after the other, and says at the end which passed: what `npm test` and CI call.
// `node scripts/check.mjs NAME…` runs only the named ones.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules/.bin', name);
const python = join(root, '.venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const rooms = join(root, 'training-jobs');

/** The sandbox's Python is held to the rules of the Python rooms. */
const PYTHON_FOLDERS = ['.', '--config', 'pyproject.toml', '../shared/sandbox/python/spade_sandbox'];

/** name, command, arguments, folder */
const checks = [
  ['lint', bin('biome'), ['check', '--error-on-warnings', '.'], root],
  ['types', bin('tsc'), ['--noEmit'], root],
  ['python-lint', python, ['-m', 'ruff', 'check', ...PYTHON_FOLDERS], rooms],
  ['python-format', python, ['-m', 'ruff', 'format', '--check', ...PYTHON_FOLDERS], rooms],
  ['python-types', python, ['-m', 'mypy'], rooms],
  ['python-tests', python, ['-m', 'pytest', '-q', '--durations=5'], rooms],
  ['tests', bin('vitest'), ['run'], root],
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !checks.some(([known]) => known === name));
if (wanted.includes('--help') || unknown.length > 0) {
  console.log(
    `node scripts/check.mjs [NAME…]\n  names: ${checks.map(([name]) => name).join(', ')}\n  example: node scripts/check.mjs types tests`,
  );
  process.exit(unknown.some((name) => name !== '--help') ? 2 : 0);
}

// node_modules/.bin first: its `node` is the deployed runtime.
const env = {
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
  OMP_NUM_THREADS: '2',
};
const results = checks
  .filter(([name]) => wanted.length === 0 || wanted.includes(name))
  .map(([name, command, args, cwd]) => {
    console.log(`\n── ${name}`);
    const started = Date.now();
    const { status } = spawnSync(command, args, { cwd, env, stdio: 'inherit' });
    return { name, passed: status === 0, seconds: Math.round((Date.now() - started) / 1000) };
  });

console.log('');
for (const { name, passed, seconds } of results) console.log(`${passed ? 'passed' : 'FAILED'}  ${name} (${seconds} s)`);
const failed = results.filter(({ passed }) => !passed).length;
console.log(`checks: ${results.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
