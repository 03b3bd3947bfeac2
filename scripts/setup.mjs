// Sets up everything that the project's commands need, on a fresh machine with Node 18+ and Python 3.10+:
//   node_modules (with Node 24, the deployed runtime), .venv (PyTorch and the pinned Python packages),
//   the example corpus, the bundles. Each step is skipped when its inputs have not changed. No dependencies of its own.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const windows = process.platform === 'win32';
const venvPython = join(root, '.venv', windows ? 'Scripts/python.exe' : 'bin/python');
const TORCH = 'torch==2.13.0';
/** PyTorch's own index of CPU builds: the plain Linux package pulls gigabytes of CUDA. */
const TORCH_CPU_INDEX = 'https://download.pytorch.org/whl/cpu';

if (process.argv.includes('--help')) {
  console.log(
    'node scripts/setup.mjs        sets up node_modules, .venv, the example corpus and the bundles; repeats only what changed',
  );
  process.exit(0);
}

step('Node packages (with Node 24)', ['package-lock.json', 'package.json'], 'node_modules/.setup', () => {
  run(windows ? 'npm.cmd' : 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
});

step('Python packages (.venv)', ['training-jobs/requirements.txt', 'scripts/setup.mjs'], '.venv/.setup', () => {
  const python = findPython();
  // Also after a set-up that was interrupted while it made the environment.
  if (!succeeds(venvPython, ['-m', 'pip', '--version'])) run(python, ['-m', 'venv', '--clear', join(root, '.venv')]);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const fromCpuIndex = [...pip, '--retries=1', '--timeout=20', `${TORCH}+cpu`, '--extra-index-url', TORCH_CPU_INDEX];
  if (!succeeds(venvPython, ['-c', 'import torch'])) {
    if (!succeeds(venvPython, fromCpuIndex)) {
      console.log('  the CPU build of PyTorch is not to be had here: taking the plain package from PyPI (larger)');
      run(venvPython, [...pip, TORCH]);
    }
  }
  run(venvPython, [...pip, '-r', join(root, 'training-jobs/requirements.txt')]);
});

step('Example corpus', ['scripts/make-corpus.py'], 'dist/corpora/.setup', () => {
  run(venvPython, [join(root, 'scripts/make-corpus.py'), join(root, 'dist/corpora/stdlib.jsonl')]);
});

run(node24(), [join(root, 'scripts/build.mjs')]);

/** Runs `work` unless the stamp holds the hash of these inputs. */
function step(name, inputs, stampPath, work) {
  const stamp = join(root, stampPath);
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(readFileSync(join(root, input)));
  const wanted = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log(`set-up: ${name}`);
  const started = Date.now();
  work();
  mkdirSync(join(stamp, '..'), { recursive: true });
  writeFileSync(stamp, wanted);
  console.log(`set-up: ${name}, done in ${Math.round((Date.now() - started) / 1000)} s`);
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: windows });
  if (error || status !== 0) fail(`${[command, ...args].join(' ')} ${error ? error.message : `ended with ${status}`}`);
}

function succeeds(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: 'ignore', shell: windows }).status === 0;
}

function findPython() {
  const wanted = 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 10) else 1)';
  const candidates = [
    process.env.SPADE_SETUP_PYTHON,
    'python3',
    'python',
    'python3.13',
    'python3.12',
    'python3.11',
    'python3.10',
  ];
  const found = candidates.find((name) => name && succeeds(name, ['-c', wanted]));
  return (
    found ??
    fail(
      'Python 3.10 or later with venv and pip is needed.\n  Debian, Ubuntu: apt-get install python3 python3-venv python3-pip\n  macOS: brew install python@3.12\n  elsewhere: name one in SPADE_SETUP_PYTHON',
    )
  );
}

function node24() {
  const local = join(root, 'node_modules/node/bin/node');
  return existsSync(local) ? local : process.execPath;
}

function fail(message) {
  console.error(`set-up failed: ${message}`);
  process.exit(1);
}
