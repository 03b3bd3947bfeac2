// Bundles what a laptop runs, so that a start costs milliseconds and not the loading of hundreds of modules:
//   dist/cli.mjs      the `spade` command with the local host
//   dist/rollout.mjs  the rollout worker
// and renders the state machine into dist/. Called by scripts/setup.mjs; `node scripts/build.mjs --help` says this.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

if (process.argv.includes('--help')) {
  console.log(
    'node scripts/build.mjs    bundles cli and rollout worker into dist/ and renders the state machine there',
  );
  process.exit(0);
}

const entries = { cli: 'cli/main.ts', rollout: 'functions/rollout/main.ts' };
const present = Object.entries(entries).filter(([, source]) => existsSync(join(root, source)));

await build({
  absWorkingDir: root,
  entryPoints: Object.fromEntries(present),
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  sourcemap: 'linked',
  logLevel: 'warning',
  // A native module and its loader; they stay in node_modules.
  external: ['dynalite', 'classic-level'],
  // Bundled CommonJS packages look for `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});

// Bundles look for data beside themselves.
cpSync(join(root, 'shared/sandbox/python'), join(root, 'dist/sandbox/python'), { recursive: true });

const rendered = spawnSync(process.execPath, [join(root, 'local/definition-cache.ts')], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(rendered.status ?? 1);
