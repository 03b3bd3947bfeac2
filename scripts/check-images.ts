/**
 * Builds the two images and runs them locked up as they are in AWS, or tighter: `npm run check:images [-- --no-build] [--catalogue]`.
 *
 * Inside: the sandbox's self-test, a rollout shard in one container and in two that are joined by the door (same bytes), two validations by
 * the function's own runtime loop, and with `--catalogue` the attack catalogue, every row four ways. No network, no
 * capabilities, no shared memory, read-only root. Exit code 0: all of it held.
 */
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { projectPath } from '../local/project.ts';
import { type Ended, Engine } from './images/engine.ts';

const BASES = ['node:24-bookworm-slim', 'debian:bookworm-slim'].map((name) => `public.ecr.aws/docker/library/${name}`);
const ROLLOUT = 'spade-rollout:check';
const GENERATED_CODE = 'spade-generated-code:check';
/** Where the tools that are brought along find the image's Python. */
const PYTHON_PATH = { SPADE_SANDBOX_PYTHONPATH: '/app/sandbox/python' };
/** Rollout worker and sandbox are one image, which Fargate pulls for every task. */
const LIMIT_MB = 250;

const { values } = parseArgs({
  options: {
    'no-build': { type: 'boolean', default: false },
    catalogue: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(
    'npm run check:images [-- --no-build] [--catalogue]\n  SPADE_CONTAINER  docker, podman or a program that takes base, build and run',
  );
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'spade-images-'));
chmodSync(folder, 0o755);
const engine = new Engine();
const failures: string[] = [];
const check = (what: string, holds: boolean) => {
  console.log(`${holds ? 'holds ' : 'FAILED'}  ${what}`);
  if (!holds) failures.push(what);
};

try {
  if (!values['no-build']) buildImages();
  const tools = await bundleTools();
  await sizes();
  await walls(tools);
  const alone = await shardAlone(tools);
  await shardOfTwo(tools, alone);
  await emptyEnvironment();
  await validation(tools);
  if (values.catalogue) await catalogue(tools);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures.length === 0 ? 'images: everything held' : `images: ${failures.length} did not hold`);
process.exit(failures.length === 0 ? 0 : 1);

/** A context of what the Dockerfiles copy, and nothing else. */
function buildImages(): void {
  const context = join(folder, 'context');
  for (const part of ['package.json', 'package-lock.json', 'shared', 'functions']) {
    const filter = (path: string) => !path.endsWith('__pycache__') && !path.endsWith('.test.ts');
    cpSync(projectPath(part), join(context, part), { recursive: true, filter });
  }
  engine.prepare(BASES);
  engine.build(ROLLOUT, context, join(context, 'functions/rollout/Dockerfile'));
  engine.build(GENERATED_CODE, context, join(context, 'functions/generated-code/Dockerfile'));
}

async function bundleTools(): Promise<string> {
  const tools = join(folder, 'tools');
  await build({
    absWorkingDir: projectPath(),
    entryPoints: { inside: 'scripts/images/inside.ts', catalogue: 'scripts/check-sandbox.ts' },
    outdir: tools,
    outExtension: { '.js': '.mjs' },
    ...{ bundle: true, platform: 'node', target: 'node24', format: 'esm', logLevel: 'warning' },
    external: ['dynalite', 'classic-level'],
    // Bundled CommonJS packages look for `require`.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return tools;
}

async function inside(image: string, tools: string, mode: string, more: object = {}): Promise<Record<string, unknown>> {
  const volumes = { '/check:ro': tools, ...('volumes' in more ? (more.volumes as object) : {}) };
  const environment = { ...PYTHON_PATH, ...('environment' in more ? (more.environment as object) : {}) };
  const { ended } = engine.run(image, {
    ...{ entryPoint: 'node', arguments: ['/check/inside.mjs', mode], environment, volumes },
  });
  return resultOf(await ended, `${image} ${mode}`);
}

function resultOf({ code, stdout, stderr }: Ended, what: string): Record<string, unknown> {
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  if (code !== 0 || !last.startsWith('{')) {
    console.log(stdout, stderr);
    throw new Error(`${what} ended with ${code}`);
  }
  console.log(`        ${what}: ${last}`);
  return JSON.parse(last) as Record<string, unknown>;
}

async function sizes(): Promise<void> {
  for (const image of [ROLLOUT, GENERATED_CODE]) {
    const { ended } = engine.run(image, { entryPoint: 'du', arguments: ['-skx', '/'], user: '0:0' });
    const megabytes = Number((await ended).stdout.split(/\s/)[0]) / 1000;
    const limit = image === ROLLOUT ? ` of at most ${LIMIT_MB}` : '';
    check(`${image}: ${megabytes.toFixed(0)} MB unpacked${limit}`, image !== ROLLOUT || megabytes <= LIMIT_MB);
  }
}

async function walls(tools: string): Promise<void> {
  for (const image of [ROLLOUT, GENERATED_CODE]) {
    const seen = await inside(image, tools, 'walls', { volumes: { '/tmp': scratch() } });
    const { capabilities, network, sharedMemory, writableRoot } = seen;
    check(`${image}: no capabilities`, /^0+$/.test(String(capabilities)));
    check(`${image}: no network`, (network as string[]).length === 0);
    check(`${image}: no shared memory, read-only root`, sharedMemory === false && writableRoot === false);
    check(
      `${image}: the self-test passes behind the system-call filter`,
      (seen.layers as string[]).includes('seccomp'),
    );
  }
}

/** A folder that any user of a container may write to. */
function scratch(): string {
  const made = mkdtempSync(join(folder, 'scratch-'));
  chmodSync(made, 0o777);
  return made;
}

async function shardAlone(tools: string): Promise<unknown> {
  const seen = await inside(ROLLOUT, tools, 'shard', { volumes: { '/tmp': scratch(), '/work': scratch() } });
  check('a shard in one container: every episode is played', seen.code === 0 && seen.played === 48);
  return seen.sha256;
}

/** The task as it is deployed: the door in a container of its own, under another user, and the worker beside it. */
async function shardOfTwo(tools: string, alone: unknown): Promise<void> {
  const meeting = scratch();
  const door = engine.run(ROLLOUT, {
    entryPoint: '/usr/bin/env',
    arguments: [
      ...['-i', '/usr/bin/python3', '-I', '-S', '-B', '/app/sandbox/python/spade_sandbox/door.py'],
      '/run/spade/door',
    ],
    user: '10002:10002',
    volumes: { '/run/spade': meeting },
  });
  const seen = await inside(ROLLOUT, tools, 'shard', {
    environment: { SPADE_SANDBOX_DOOR: '/run/spade/door' },
    volumes: { '/run/spade': meeting, '/work': scratch() },
  });
  check('a shard in two containers: every episode is played', seen.code === 0 && seen.played === 48);
  check('both shards have the same bytes', seen.sha256 === alone);
  door.terminate();
  const { code, stderr } = await door.ended;
  check(`the sandbox container ends with 0 when it is told to (${code}${stderr && `: ${stderr.trim()}`})`, code === 0);
}

async function emptyEnvironment(): Promise<void> {
  const { ended } = engine.run(ROLLOUT, {
    entryPoint: '/usr/bin/env',
    arguments: ['-i', '/usr/bin/python3', '-I', '-S', '-c', 'print(len(open("/proc/1/environ").read()))'],
    user: '10002:10002',
    environment: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/secret' },
  });
  check('the sandbox container’s first process has no variables', (await ended).stdout.trim() === '0');
}

async function validation(tools: string): Promise<void> {
  const seen = await inside(GENERATED_CODE, tools, 'validation', { volumes: { '/tmp': scratch() } });
  const [good, bad] = seen.verdicts as { accepted: boolean; reason: string }[];
  check('validation accepts a sound program', good?.accepted === true);
  check('validation refuses text without a class', bad?.accepted === false && bad.reason === 'class.missing');
}

async function catalogue(tools: string): Promise<void> {
  const { ended } = engine.run(ROLLOUT, {
    entryPoint: 'node',
    arguments: ['/check/catalogue.mjs', '--programs', '0'],
    environment: PYTHON_PATH,
    volumes: { '/check:ro': tools, '/tmp': scratch() },
  });
  const { code, stdout, stderr } = await ended;
  console.log(stdout);
  if (code !== 0) console.log(stderr.slice(-4000));
  check('the attack catalogue holds in the container', code === 0);
}
