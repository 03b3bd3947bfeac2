#!/usr/bin/env node
// Starts the `spade` command on the deployed runtime (Node 24, a dependency) whatever Node this machine has.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const node = path('../node_modules/node/bin/node');
const bundle = path('../dist/cli.mjs');

if (!existsSync(node) || !existsSync(bundle)) {
  const { status } = spawnSync(process.execPath, [path('../scripts/setup.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const child = spawn(node, ['--disable-warning=ExperimentalWarning', bundle, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// The terminal sends Ctrl-C to the whole group; this process only waits for the child's own answer.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
