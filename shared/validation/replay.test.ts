import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Episode } from '../contracts/index.ts';
import { programOf } from '../sandbox/catalogue/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { replayEpisode } from './replay.ts';

const GAME = programOf({ code: 'if action == "\\\\boxed{boom}": raise ValueError("boom")' });
const rules = { setting: 'games', agent: { maxTurns: 6, turns: 'budget', action: 'last-boxed' } } as const;
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ slots: 2 });
});
afterAll(() => sandbox.close());

/** Plays the texts, and records it as the rollout worker does. */
async function recorded(seed: number, texts: readonly string[]): Promise<Episode> {
  const program = await sandbox.open(GAME, { seed, maxTurns: 6 });
  await program.load();
  const start = await program.reset(seed);
  let observation = start.ok ? start.value.observation : '';
  const record: Record<string, unknown> = { outcome: 'played', reason: null, terminated: false, truncated: true, seed };
  const turns: Episode['turns'] = [];
  for (const text of texts) {
    const step = await program.step(/\\boxed\{[^}]*\}/.exec(text)?.[0] ?? text);
    turns.push({ observation, text, finishReason: 'stop', reward: step.ok ? step.value.reward : null });
    if (!step.ok) Object.assign(record, { outcome: 'env_fault', reason: step.reason, truncated: false });
    else Object.assign(record, { terminated: step.value.terminated, truncated: !step.value.terminated });
    if (step.ok) ({ observation } = step.value);
  }
  program.close();
  return { ...record, turns } as unknown as Episode;
}

describe('replayEpisode', () => {
  it('finds a recorded episode identical, whether it was cut or broke', async () => {
    const cut = await recorded(3, ['<think>hm</think>\\boxed{1}', '\\boxed{2}']);
    const broken = await recorded(3, ['\\boxed{1}', 'So: \\boxed{boom}']);
    expect(broken).toMatchObject({ outcome: 'env_fault', reason: 'env.exception' });
    for (const episode of [cut, broken])
      expect(await replayEpisode(episode, GAME, rules, sandbox)).toEqual({ kind: 'identical' });
  });

  it('says where a record differs from what the program does', async () => {
    const episode = await recorded(3, ['\\boxed{1}', '\\boxed{2}']);
    const [first, second] = episode.turns;
    const changed = (change: object) => replayEpisode({ ...episode, ...change } as Episode, GAME, rules, sandbox);
    expect(await changed({ seed: 4 })).toMatchObject({ kind: 'different', turn: 0 });
    expect(await changed({ turns: [first, { ...second, reward: 1 }] })).toMatchObject({
      ...{ kind: 'different', turn: 2, what: 'it pays 0, recorded is 1' },
    });
    expect(await changed({ terminated: true })).toMatchObject({
      kind: 'different',
      what: 'it goes on, unlike recorded',
    });
    expect(await changed({ outcome: 'env_fault', reason: 'crash.exit' })).toMatchObject({
      what: 'no fault, recorded is crash.exit',
    });
    expect(await replayEpisode(episode, GAME.replace('"wrong"', '"no"'), rules, sandbox)).toMatchObject({ turn: 1 });
  });

  it('does not judge what the host or the machine decided', async () => {
    const episode = await recorded(3, ['\\boxed{1}']);
    for (const change of [
      { outcome: 'infra_lost', reason: 'infra.killed' },
      { outcome: 'env_fault', reason: 'timeout.step' },
    ])
      expect((await replayEpisode({ ...episode, ...change } as Episode, GAME, rules, sandbox)).kind).toBe('unknown');
  });
});
