import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  Episode,
  type ExperimentConfig,
  iterationKeys,
  PolicyMalformed,
  PolicyUnavailable,
  PromptTooLong,
  type RolloutJob,
} from '../../shared/contracts/index.ts';
import { profileOf } from '../../shared/domain/profiles.ts';
import type { CompletionRequest } from '../../shared/ports/index.ts';
import { fakePolicy, fakeSandbox, memoryStores, recordedProgress, step } from './fakes.ts';
import { playJob, type RolloutDeps } from './rollout.ts';

const config: ExperimentConfig = { experiment: 'exp', ...profileOf('tiny') };
const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const keys = iterationKeys('exp', 3);

const environment = (id: string, seeds: number[] = [11, 12, 13]) => ({
  ...{ id, sourceKey: `${id}/source`, hintKey: `${id}/hint`, seeds, skill: 'Optimization' },
});
const job = (environments = [environment(A), environment(B)]): RolloutJob => ({
  ...{ experiment: 'exp', iteration: 3, shard: 0, policyVersion: 2, kind: 'rollout', environments },
});

function world(values: Partial<RolloutDeps> & { answer?: Parameters<typeof fakePolicy>[0]; programs?: object } = {}) {
  const stores = memoryStores({
    environments: { [`${A}/source`]: 'A', [`${A}/hint`]: 'go left', [`${B}/source`]: 'B', [`${B}/hint`]: 'go right' },
    corpora: {
      [config.evaluation.benchmark]: `${JSON.stringify({ id: 'b1', skill: 'S', level: 1, code: 'A', seeds: [5] })}\n`,
    },
  });
  const sandbox = fakeSandbox({ A: {}, B: {}, ...values.programs });
  const policy = fakePolicy(values.answer ?? (() => '\\boxed{7}'));
  const progress = recordedProgress();
  const { answer: _, programs: __, ...overrides } = values;
  const deps = { stores, sandbox, policy, progress, policyUri: 'http://policy/v1', ...overrides };
  return { stores, sandbox, policy, progress, deps };
}

function episodesOf({ stores }: ReturnType<typeof world>, key: string): Episode[] {
  const body = stores.episodes.objects.get(key);
  if (body === undefined) throw new Error(`no object ${key}; there are ${[...stores.episodes.objects.keys()]}`);
  const lines = gunzipSync(body).toString('utf8').trimEnd().split('\n');
  return lines.map((line) => Episode.parse(JSON.parse(line)));
}

describe('a rollout job', () => {
  it('plays both arms of every environment with the same seeds and stores them in order', async () => {
    const w = world();
    expect(await playJob(job(), config, w.deps)).toBe('complete');
    const episodes = episodesOf(w, keys.episodes(A));
    expect(episodes.map((e) => [e.index, e.arm, e.seed])).toEqual([
      [0, 'hinted', 11],
      [0, 'unhinted', 11],
      [1, 'hinted', 12],
      [1, 'unhinted', 12],
      [2, 'hinted', 13],
      [2, 'unhinted', 13],
    ]);
    expect(episodes.every((e) => e.outcome === 'played' && e.return === 1 && e.terminated)).toBe(true);
    expect(episodes[0]?.rewards).toEqual([0, 1]);
    expect(episodesOf(w, keys.episodes(B))).toHaveLength(6);
    expect(w.sandbox.running).toBe(0);
  });

  it('shows the hint in the hinted arm alone, with the first observation', async () => {
    const w = world();
    await playJob(job([environment(A, [11])]), config, w.deps);
    const texts = w.policy.requests.map(({ messages }) => messages.map((m) => m.content).join('|'));
    expect(texts.filter((text) => text.includes('go left'))).toHaveLength(2);
    expect(texts.filter((text) => text.includes('seed 11'))).toHaveLength(4);
    expect(w.policy.requests.every(({ model }) => model === 'exp-v0002')).toBe(true);
  });

  it('records the sampled tokens once, merged over the turns', async () => {
    const w = world();
    await playJob(job([environment(A, [11])]), config, w.deps);
    const unhinted = episodesOf(w, keys.episodes(A)).find((e) => e.arm === 'unhinted');
    expect(unhinted?.sequences).toHaveLength(1);
    const [sequence] = unhinted?.sequences ?? [];
    const sampled = 2 * ('\\boxed{7}'.length + 1);
    expect(sequence?.mask.filter((bit) => bit === 1)).toHaveLength(sampled);
    expect(sequence?.logprobs.filter((value) => value === -0.5)).toHaveLength(sampled);
  });

  it('samples every turn with a seed of its own that a second run repeats', async () => {
    const [first, second] = [world(), world()];
    for (const w of [first, second]) await playJob(job(), config, w.deps);
    const seeds = (requests: readonly CompletionRequest[]) => requests.map((r) => r.seed).sort();
    expect(new Set(seeds(first.policy.requests)).size).toBe(24);
    expect(seeds(second.policy.requests)).toEqual(seeds(first.policy.requests));
  });

  it('writes the same bytes whatever the order in which answers come', async () => {
    const slow = world({ answer: async (_, call) => wait(call % 7).then(() => '\\boxed{1}') });
    const fast = world({ answer: () => '\\boxed{1}' });
    const single = { ...config, limits: { ...config.limits, episodeConcurrency: 1 } };
    await playJob(job(), config, slow.deps);
    await playJob(job(), single, fast.deps);
    const bytes = (w: typeof slow) =>
      Buffer.from(w.stores.episodes.objects.get(keys.episodes(A)) ?? []).toString('hex');
    expect(bytes(slow)).toBe(bytes(fast));
  });

  it('does not play again what is stored', async () => {
    const w = world();
    await w.stores.episodes.putIfAbsent(keys.episodes(A), 'whatever');
    await playJob(job(), config, w.deps);
    expect(w.sandbox.opened).toBe(6);
    expect(Buffer.from(w.stores.episodes.objects.get(keys.episodes(A)) ?? []).toString()).toBe('whatever');
    expect(w.progress.events.at(-1)).toMatchObject({ phase: 'rollout', done: 12, total: 12 });
  });

  it('keeps within the number of episodes in flight', async () => {
    let running = 0;
    let most = 0;
    const answer = async () => {
      most = Math.max(most, ++running);
      await wait(2);
      running -= 1;
      return 'x';
    };
    const w = world({ answer });
    await playJob(job(), { ...config, limits: { ...config.limits, episodeConcurrency: 3 } }, w.deps);
    expect(most).toBe(3);
  });

  it('shows the returns of each arm', async () => {
    const pays = { step: (action: string) => step({ terminated: true, reward: action === 'hinted' ? 1 : -0.5 }) };
    const answer = ({ messages }: CompletionRequest) =>
      messages.some((m) => m.content.includes('go left')) ? 'hinted' : 'plain';
    const w = world({ answer, programs: { A: pays } });
    await playJob(job([environment(A)]), config, w.deps);
    expect(w.progress.events.at(-1)?.numbers).toMatchObject({ hinted: 1, unhinted: -0.5, env_fault: 0 });
  });
});

describe('an episode', () => {
  const only = async (w: ReturnType<typeof world>, changes: Partial<ExperimentConfig> = {}) => {
    await playJob(job([environment(A, [11])]), { ...config, ...changes }, w.deps);
    const unhinted = episodesOf(w, keys.episodes(A)).find((e) => e.arm === 'unhinted');
    if (unhinted === undefined) throw new Error('no unhinted episode');
    return unhinted;
  };

  it('is cut after the last turn, with return 0 whatever the steps paid', async () => {
    const w = world({ programs: { A: { step: () => step({ reward: 0.9 }) } } });
    const agent = { ...config.agent, maxTurns: 3 };
    expect(await only(w, { agent })).toMatchObject({
      outcome: 'played',
      return: 0,
      truncated: true,
      rewards: [0.9, 0.9, 0.9],
    });
  });

  it('is cut when the context is full', async () => {
    const w = world({ programs: { A: { step: () => step() } } });
    const episode = await only(w, { serving: { ...config.serving, contextTokens: 64 } });
    expect(episode).toMatchObject({ outcome: 'played', truncated: true, return: 0 });
    expect(episode.turns.length).toBeLessThan(config.agent.maxTurns);
  });

  it('is cut when the server says that the conversation outgrew it', async () => {
    const answer = ({ messages }: CompletionRequest) =>
      messages.length > 4 ? new PromptTooLong('http://policy/v1', 'HTTP 400') : 'x';
    const w = world({ answer, programs: { A: { step: () => step() } } });
    expect(await only(w)).toMatchObject({ outcome: 'played', truncated: true, turns: [{}, {}] });
  });

  it('acts with what was said, not with what was thought', async () => {
    const actions: string[] = [];
    const program = { step: (action: string) => step({ terminated: actions.push(action) > 0 }) };
    const w = world({ answer: () => '<think>\\boxed{1}</think>\\boxed{2}', programs: { A: program } });
    const episode = await only(w);
    expect(actions[0]).toBe('\\boxed{2}');
    expect(episode.turns[0]?.text).toBe('<think>\\boxed{1}</think>\\boxed{2}');
  });

  it('that the program breaks is a fault with its reason, and cancels no sibling', async () => {
    const fault = { ok: false, outcome: 'env_fault', reason: 'reward.not_finite', detail: '' } as const;
    const program = { step: (_: string, turn: number, seed: number) => (seed === 12 && turn === 2 ? fault : step()) };
    const w = world({ programs: { A: program } });
    await playJob(job([environment(A)]), config, w.deps);
    const episodes = episodesOf(w, keys.episodes(A));
    expect(episodes.map((e) => e.outcome)).toEqual(['played', 'played', 'env_fault', 'env_fault', 'played', 'played']);
    expect(episodes[2]).toMatchObject({ reason: 'reward.not_finite', return: null, sequences: [], rewards: [0] });
    expect(episodes[2]?.turns.at(-1)?.reward).toBeNull();
  });

  it('that the host loses is played once more, and recorded as lost when that fails too', async () => {
    const lost = { ok: false, outcome: 'infra_lost', reason: 'infra.killed', detail: '' } as const;
    let calls = 0;
    const once = world({
      programs: { A: { reset: () => (++calls === 1 ? lost : { ok: true, value: { observation: 'o' } }) } },
    });
    expect((await only(once)).outcome).toBe('played');
    const always = world({ programs: { A: { reset: () => lost } } });
    expect(await only(always)).toMatchObject({ outcome: 'infra_lost', reason: 'infra.killed', return: null });
    expect(always.sandbox.opened).toBe(4);
  });

  it.each([
    [new PolicyMalformed('http://p', 'HTML'), 'policy.malformed'],
    [new PolicyUnavailable('http://p', 'down'), 'policy.unavailable'],
    [new PromptTooLong('http://p', 'long'), 'policy.prompt_too_long'],
  ])('without an answer is unresolved, never a reward: %s', async (error, reason) => {
    const answer = ({ messages }: CompletionRequest) =>
      messages.some((m) => m.content.includes('go left')) ? 'x' : error;
    expect(await only(world({ answer }))).toMatchObject({ outcome: 'unresolved', reason, return: null });
  });

  it('does not hide an error of this program', async () => {
    const w = world({ answer: () => new TypeError('bug') });
    await expect(playJob(job(), config, w.deps)).rejects.toThrow('bug');
  });
});

describe('a job in trouble', () => {
  it('stops when the policy server as a whole is gone, and keeps what was complete', async () => {
    const answer = (_: CompletionRequest, call: number) =>
      call <= 12 ? 'x' : new PolicyUnavailable('http://policy/v1', 'refused');
    const w = world({ answer });
    const many = environment(
      B,
      Array.from({ length: 40 }, (_, i) => i),
    );
    const single = { ...config, limits: { ...config.limits, episodeConcurrency: 1 } };
    await expect(playJob(job([environment(A), many]), single, w.deps)).rejects.toThrow(/16 episodes in a row/);
    expect([...w.stores.episodes.objects.keys()]).toEqual([keys.episodes(A)]);
    expect(w.sandbox.running).toBe(0);
  });

  it('that was never answered stores nothing, however small it is', async () => {
    const w = world({ answer: () => new PolicyMalformed('http://policy/v1', 'HTML') });
    await expect(playJob(job([environment(A, [1])]), config, w.deps)).rejects.toThrow(/2 episodes in a row.*malformed/);
    expect(w.stores.episodes.objects.size).toBe(0);
  });

  it('keeps unanswered episodes back until the server proves well', async () => {
    const answer = (_: CompletionRequest, call: number) =>
      call <= 4 ? new PolicyUnavailable('http://p', 'busy') : 'x';
    const w = world({ answer });
    const single = { ...config, limits: { ...config.limits, episodeConcurrency: 1 } };
    expect(await playJob(job(), single, w.deps)).toBe('complete');
    expect([...w.stores.episodes.objects.keys()]).toEqual([keys.episodes(B), keys.episodes(A)]);
    expect(episodesOf(w, keys.episodes(A)).filter((e) => e.outcome === 'unresolved')).toHaveLength(4);
  });

  it('told to stop, begins nothing new, finishes whole objects and leaves the rest out', async () => {
    const stop = new AbortController();
    const w = world({
      async answer(_, call) {
        if (call === 8) stop.abort();
        await wait(3);
        return 'x';
      },
    });
    const eight = { ...config, limits: { ...config.limits, episodeConcurrency: 8 } };
    expect(await playJob(job(), eight, w.deps, stop.signal)).toBe('stopped');
    expect([...w.stores.episodes.objects.keys()]).toEqual([keys.episodes(A)]);
    expect(await playJob(job(), eight, w.deps)).toBe('complete');
    expect(w.stores.episodes.objects.size).toBe(2);
  });

  it('told to leave, ends running episodes at once', async () => {
    const abandon = new AbortController();
    const answer = ({ signal }: CompletionRequest) =>
      new Promise<string>((_, reject) => {
        signal?.addEventListener('abort', () => reject(new PolicyUnavailable('http://p', 'the caller gave up')));
      });
    const w = world({ answer });
    setTimeout(() => abandon.abort(), 20);
    expect(await playJob(job(), config, w.deps, undefined, abandon.signal)).toBe('stopped');
    expect(w.stores.episodes.objects.size).toBe(0);
    expect(w.sandbox.running).toBe(0);
  });
});

describe('an evaluation job', () => {
  const evaluation: RolloutJob = {
    ...{ experiment: 'exp', iteration: 3, shard: 4, policyVersion: 7, kind: 'evaluate' },
    environments: [{ id: 'b1', sourceKey: null, hintKey: null, seeds: [5], skill: 'S' }],
  };

  it('plays the benchmark unhinted into one object, at its own temperature', async () => {
    const w = world();
    await playJob(evaluation, { ...config, evaluation: { ...config.evaluation, temperature: 0.25 } }, w.deps);
    const episodes = episodesOf(w, keys.evaluationEpisodes(7, 4));
    expect(episodes.map((e) => [e.environment, e.arm, e.seed, e.return])).toEqual([['b1', 'unhinted', 5, 1]]);
    expect(w.policy.requests[0]?.sampler.temperature).toBe(0.25);
    expect(w.progress.events.at(-1)?.phase).toBe('evaluate');
  });

  it('samples alike for every version', async () => {
    const [first, second] = [world(), world()];
    await playJob(evaluation, config, first.deps);
    await playJob({ ...evaluation, policyVersion: 9, iteration: 8 }, { ...config, seed: 99 }, second.deps);
    expect(second.policy.requests.map((r) => r.seed)).toEqual(first.policy.requests.map((r) => r.seed));
  });

  it('refuses a program that the pool does not hold', async () => {
    const unknown = { ...evaluation, environments: [{ ...evaluation.environments[0], id: 'nope' }] } as RolloutJob;
    await expect(playJob(unknown, config, world().deps)).rejects.toThrow('does not hold nope');
  });
});

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
