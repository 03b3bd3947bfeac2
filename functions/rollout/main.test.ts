import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStores } from '../../shared/adapters/stores.ts';
import { Episode, experimentKey, iterationKeys, type RolloutJob } from '../../shared/contracts/index.ts';
import { profileOf } from '../../shared/domain/profiles.ts';

/** A number to be guessed in two turns; the seed decides it. */
const PROGRAM = `
import random

class GuessEnv:
    def __init__(self, max_turns=4):
        self.turns = 0

    def reset(self, seed=None):
        self.secret = random.Random(seed).randrange(3)
        self.turns = 0
        return "Guess a number from 0 to 2.", {}

    def step(self, action):
        self.turns += 1
        won = f"\\\\boxed{{{self.secret}}}" in action
        done = won or self.turns == 2
        return ("right" if won else "wrong"), float(won), done, False, {}

    def solution(self):
        return f"\\\\boxed{{{self.secret}}}"
`;
const IDS = ['a', 'b', 'c'].map((letter) => letter.repeat(64));
const keys = iterationKeys('exp', 1);
const python = process.env.SPADE_PYTHON ?? fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));

/** Answers by the seed of the request alone, like a policy in deterministic mode, after a while. */
function startPolicy(): Promise<{
  server: Server;
  uri: string;
  delayMs: { value: number };
  onCall: { value: () => void };
}> {
  const delayMs = { value: 0 };
  const onCall = { value: () => {} };
  const server = createServer(async (req, res) => {
    const { model, seed, messages } = JSON.parse(await text(req)) as {
      model: string;
      seed: number;
      messages: object[];
    };
    onCall.value();
    const content = `\\boxed{${seed % 3}}`;
    const body = {
      model,
      prompt_token_ids: messages.map((_, i) => i),
      choices: [
        {
          message: { content },
          finish_reason: 'stop',
          token_ids: [seed % 900, 1],
          logprobs: { content: [{ logprob: -1 }, { logprob: -0.5 }] },
        },
      ],
    };
    setTimeout(() => res.end(JSON.stringify(body)), delayMs.value);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({ server, uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, delayMs, onCall });
    });
  });
}

let policy: Awaited<ReturnType<typeof startPolicy>>;
beforeAll(async () => {
  policy = await startPolicy();
});
afterAll(() => {
  policy.server.closeAllConnections();
  policy.server.close();
});

/** Stores in a new folder with an experiment, its programs and one job. */
async function home(concurrency: number) {
  const root = await mkdtemp(join(tmpdir(), 'spade-rollout-'));
  const env = Object.fromEntries(
    ['ENVIRONMENTS', 'EPISODES', 'POLICIES', 'CORPORA'].map((name) => [
      `SPADE_${name}`,
      `${pathToFileURL(root).href}/${name}`,
    ]),
  );
  const stores = openStores(env);
  const profile = profileOf('tiny');
  const limits = { ...profile.limits, episodeConcurrency: concurrency };
  const serving = { ...profile.serving, maxAttempts: 2 };
  await stores.episodes.put(experimentKey('exp'), JSON.stringify({ experiment: 'exp', ...profile, limits, serving }));
  for (const id of IDS) {
    await stores.environments.put(`${id}/source`, PROGRAM);
    await stores.environments.put(`${id}/hint`, 'Guess 1 first.');
  }
  const job: RolloutJob = {
    ...{ experiment: 'exp', iteration: 1, shard: 0, policyVersion: 0, kind: 'rollout' },
    environments: IDS.map((id) => ({
      ...{ id, sourceKey: `${id}/source`, hintKey: `${id}/hint`, seeds: [1, 2, 3, 4], skill: 'S' },
    })),
  };
  await stores.episodes.put(keys.rolloutJob(0), JSON.stringify(job));
  return { stores, env: { ...env, SPADE_JOB: keys.rolloutJob(0), SPADE_POLICY: policy.uri, SPADE_PYTHON: python } };
}

function startWorker(env: Record<string, string>): ChildProcess {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  return spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(env: Record<string, string>) {
  const worker = startWorker(env);
  const [stdout, stderr, [code]] = await Promise.all([
    text(worker.stdout as NodeJS.ReadableStream),
    text(worker.stderr as NodeJS.ReadableStream),
    once(worker, 'exit'),
  ]);
  return { code, stdout, stderr };
}

async function digests({ stores }: Awaited<ReturnType<typeof home>>) {
  const stored = await stores.episodes.list(keys.episodesPrefix);
  const bodies = await Promise.all(stored.map((key) => stores.episodes.get(key)));
  return Object.fromEntries(
    stored.map((key, i) => [
      key,
      createHash('sha256')
        .update(bodies[i] ?? '')
        .digest('hex'),
    ]),
  );
}

// A busy machine starts these processes slowly; each must still end by itself.
describe('the rollout process', { timeout: 240_000 }, () => {
  let undisturbed: Record<string, string>;

  it('plays real programs in the sandbox and leaves every object and progress behind', async () => {
    const place = await home(64);
    const { code, stdout, stderr } = await run(place.env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const body = gunzipSync(await place.stores.episodes.get(keys.episodes(IDS[0] ?? ''))).toString('utf8');
    const episodes = body
      .trimEnd()
      .split('\n')
      .map((line) => Episode.parse(JSON.parse(line)));
    expect(episodes).toHaveLength(8);
    expect(episodes.every((e) => e.outcome === 'played' && e.terminated)).toBe(true);
    expect(new Set(episodes.map((e) => e.return))).toEqual(new Set([0, 1]));
    const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ event: 'progress', phase: 'rollout', experiment: 'exp', done: 24, total: 24 });
    undisturbed = await digests(place);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('cut by %s goes on where it was, to the same bytes', async (signal) => {
    const cut = await home(8);
    policy.delayMs.value = 30;
    const worker = startWorker(cut.env);
    let calls = 0;
    policy.onCall.value = () => void (++calls === 20 && worker.kill(signal));
    const [code, killedBy] = await once(worker, 'exit');
    policy.onCall.value = () => {};
    policy.delayMs.value = 0;
    expect([code, killedBy]).toEqual(signal === 'SIGTERM' ? [143, null] : [null, 'SIGKILL']);
    expect(Object.keys(await digests(cut)).length).toBeLessThan(IDS.length);
    expect((await run(cut.env)).code).toBe(0);
    expect(await digests(cut)).toEqual(undisturbed);
  });

  it('whose policy server is gone leaves with 1 and names it', async () => {
    const place = await home(64);
    const { code, stderr } = await run({ ...place.env, SPADE_POLICY: 'http://127.0.0.1:1/v1' });
    expect(code).toBe(1);
    const last = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({ event: 'failed', error: 'PolicyUnavailable' });
    expect(last.cause).toMatch(/127\.0\.0\.1:1\/v1.*16 episodes in a row/);
    expect(await digests(place)).toEqual({});
  });

  it('names what it was not told', async () => {
    const { code, stderr } = await run({ ...(await home(1)).env, SPADE_JOB: '' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/SPADE_JOB.*key of a job/);
  });
});
