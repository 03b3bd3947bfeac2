/**
 * What `npm run check:images` runs inside the images: `node inside.mjs walls|shard|validation`. The last line of output is the result as
 * JSON; an exit code other than 0 says that it is none.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { startScriptedPolicy } from '../../local/testing/scripted-policy.ts';
import { openStores } from '../../shared/adapters/stores.ts';
import { Episode, experimentKey, iterationKeys, type RolloutJob } from '../../shared/contracts/index.ts';
import { profileOf } from '../../shared/domain/profiles.ts';
import { startSandbox } from '../../shared/sandbox/index.ts';

/** A sum of two numbers that the seed decides. */
const PROGRAM = `import random
import re


class SumEnv:
    def __init__(self, max_turns=2):
        self.total = 0

    def reset(self, seed=None):
        rng = random.Random(seed)
        numbers = [rng.randint(100, 999), rng.randint(100, 999)]
        self.total = sum(numbers)
        return "Add " + ", ".join(str(n) for n in numbers) + ".", {}

    def step(self, action):
        found = re.search(r"\\\\boxed\\{(\\d+)\\}", action)
        won = found is not None and int(found.group(1)) == self.total
        return "Right." if won else "Wrong.", 1.0 if won else 0.0, True, False, {}

    def solution(self):
        return "\\\\boxed{" + str(self.total) + "}"
`;

/** What the container itself is without, and which walls the sandbox builds in it. */
async function walls(): Promise<unknown> {
  const status = readFileSync('/proc/self/status', 'latin1');
  const sandbox = await startSandbox({ slots: 2 });
  const { isolation } = sandbox;
  await sandbox.close();
  return {
    capabilities: /CapEff:\s*(\w+)/.exec(status)?.[1],
    network: Object.keys(networkInterfaces()).filter((name) => name !== 'lo'),
    sharedMemory: existsSync('/dev/shm'),
    writableRoot: canWrite('/app/x') || canWrite('/x'),
    user: process.getuid?.(),
    ...isolation,
  };
}

function canWrite(path: string): boolean {
  try {
    writeFileSync(path, '');
    return true;
  } catch {
    return false;
  }
}

const IDS = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
const SEEDS = Array.from({ length: 8 }, (_, index) => index + 1);

/** A shard by the image's own worker, against a policy on the loopback interface. */
async function shard(): Promise<unknown> {
  const names = ['ENVIRONMENTS', 'EPISODES', 'POLICIES', 'CORPORA'];
  const env = Object.fromEntries(names.map((name) => [`SPADE_${name}`, `file:///work/${name}`]));
  const { environments, episodes } = openStores(env);
  const keys = iterationKeys('check', 1);
  await episodes.put(experimentKey('check'), JSON.stringify({ experiment: 'check', ...profileOf('tiny') }));
  for (const id of IDS) {
    await environments.put(`${id}/source`, PROGRAM);
    await environments.put(`${id}/hint`, 'Keep a running total.');
  }
  const job: RolloutJob = {
    ...{ experiment: 'check', iteration: 1, shard: 0, policyVersion: 0, kind: 'rollout' },
    environments: IDS.map((id) => ({ id, sourceKey: `${id}/source`, hintKey: `${id}/hint`, seeds: SEEDS, skill: 'S' })),
  };
  await episodes.put(keys.rolloutJob(0), JSON.stringify(job));
  const policy = await startScriptedPolicy();
  const began = performance.now();
  const worker = spawn(process.execPath, ['/app/rollout.mjs'], {
    env: { ...process.env, ...env, SPADE_JOB: keys.rolloutJob(0), SPADE_POLICY: policy.uri },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(worker, 'exit');
  const seconds = (performance.now() - began) / 1000;
  await policy.close();
  const bodies = await Promise.all((await episodes.list(keys.episodesPrefix)).map((key) => episodes.get(key)));
  const lines = bodies.flatMap((body) => gunzipSync(body).toString('utf8').trimEnd().split('\n'));
  const outcomes = lines.map((line) => Episode.parse(JSON.parse(line)).outcome);
  const sha256 = createHash('sha256').update(Buffer.concat(bodies)).digest('hex');
  return { code, episodes: lines.length, played: outcomes.filter((o) => o === 'played').length, seconds, sha256 };
}

/** Two validations by the image's own entry point, with Lambda's runtime API on the loopback interface. */
async function validation(): Promise<unknown> {
  const request = {
    ...{ hint: 'Keep a running total.', setting: 'games', limits: { maxTurns: 4, ownTurns: false }, modules: [] },
    ...{ winThreshold: 0.5, probeSeed: 1 },
  };
  const events = [PROGRAM, 'print("no class")'].map((source) => ({ ...request, source }));
  const answers: { path: string; body: { verdict: { accepted: boolean; reason: string | null } } }[] = [];
  const done = Promise.withResolvers<void>();
  let next = 0;
  const api = createServer(async (call: IncomingMessage, response) => {
    if (call.method === 'POST') {
      answers.push({ path: call.url ?? '', body: JSON.parse(await text(call)) });
      response.writeHead(202).end();
      if (answers.length === events.length) done.resolve();
    } else if (next < events.length) {
      response.setHeader('lambda-runtime-aws-request-id', String(next));
      response.end(JSON.stringify(events[next++]));
    }
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const began = performance.now();
  const env = { ...process.env, AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${(api.address() as AddressInfo).port}` };
  const runtime = spawn(process.execPath, ['/app/main.mjs'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  await Promise.race([done.promise, once(runtime, 'exit')]);
  const seconds = (performance.now() - began) / 1000;
  runtime.kill('SIGKILL');
  api.closeAllConnections();
  api.close();
  const verdicts = answers.map(({ path, body }) => ({
    path: path.split('/').slice(-2).join('/'),
    accepted: body.verdict?.accepted,
    reason: body.verdict?.reason,
    ...(body.verdict ? {} : { body }),
  }));
  return { verdicts, seconds };
}

const [mode = ''] = process.argv.slice(2);
const checks: Record<string, () => Promise<unknown>> = { walls, shard, validation };
const check = checks[mode];
if (check === undefined) throw new Error(`one of ${Object.keys(checks).join(', ')} expected`);
console.log(JSON.stringify(await check()));
process.exit(0);
