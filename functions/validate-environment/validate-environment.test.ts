import { beforeEach, describe, expect, it } from 'vitest';
import { iterationKeys, ServiceUnavailable } from '../../shared/contracts/index.ts';
import type { Verdict } from '../../shared/contracts/verdict.ts';
import type { ValidationInput } from '../../shared/validation/types.ts';
import { type MemoryStores, memoryStores } from '../testing/memory-store.ts';
import {
  accepted,
  begin,
  design,
  EXPERIMENT,
  experiment,
  INPUT,
  putJson,
  readJson,
  refused,
  UNSEEN,
} from '../testing/objects.ts';
import { validateDesign } from './validate-environment.ts';

const keys = iterationKeys(EXPERIMENT, 1);
const input = { ...INPUT, index: 0, turn: 0 };
const NO_CHAT = () => {
  throw new Error('no judge is configured');
};

describe('validateDesign', () => {
  let stores: MemoryStores;
  const judge = (verdict: Verdict, infraLost = false, seen: ValidationInput[] = []) =>
    validateDesign(input, {
      stores,
      progress: UNSEEN,
      chat: NO_CHAT,
      validate: async (task) => {
        seen.push(task);
        return { verdict, infraLost, timings: {} };
      },
    });
  beforeEach(async () => {
    stores = memoryStores();
    await begin(stores, experiment());
    await putJson(stores.episodes, keys.design(0, 0), design(0));
  });

  it('stores the verdict and hands the program, its hint and the limits to the judge', async () => {
    const seen: ValidationInput[] = [];
    expect(await judge(accepted('CoinEnv'), false, seen)).toEqual({
      index: 0,
      turn: 0,
      accepted: true,
      reason: null,
      repair: false,
    });
    expect(seen).toMatchObject([
      { source: 'class Game0Env: pass', hint: 'Count first.', limits: { maxTurns: 8 }, winThreshold: 0.5 },
    ]);
    expect(readJson(stores.episodes, keys.verdict(0, 0))).toMatchObject({ accepted: true });
  });

  it('asks for one repair of a refused design, and for none after it', async () => {
    expect(await judge(refused())).toMatchObject({ accepted: false, reason: 'degenerate.always_win', repair: true });
    await putJson(stores.episodes, keys.design(0, 1), design(0, undefined, { turn: 1 }));
    const second = await validateDesign(
      { ...input, turn: 1 },
      {
        stores,
        progress: UNSEEN,
        chat: NO_CHAT,
        validate: async () => ({ verdict: refused(), infraLost: false, timings: {} }),
      },
    );
    expect(second).toMatchObject({ turn: 1, repair: false });
  });

  it('does not judge twice', async () => {
    await judge(refused());
    const validate = () => Promise.reject(new Error('judged again'));
    const unused = { stores, progress: UNSEEN, chat: NO_CHAT, validate };
    expect(await validateDesign(input, unused)).toMatchObject({ reason: 'degenerate.always_win', repair: true });
  });

  it('refuses a text without a program without running anything', async () => {
    await putJson(stores.episodes, keys.design(0, 0), design(0, '', { finishReason: 'length' }));
    const unused = { stores, progress: UNSEEN, chat: NO_CHAT, validate: () => Promise.reject(new Error('ran')) };
    expect(await validateDesign(input, unused)).toMatchObject({ reason: 'source.empty', repair: true });
    expect(readJson(stores.episodes, keys.verdict(0, 0))).toMatchObject({
      detail: expect.stringContaining('token limit'),
    });
  });

  it.each<[string, Verdict, boolean]>([
    ['the host lost it', refused('infra.killed'), true],
    ['accepted with a failed layer', { ...refused(), accepted: true, reason: null }, false],
    ['accepted without layers', { ...accepted('CoinEnv'), layers: [] }, false],
    ['accepted without identity', { ...accepted('CoinEnv'), syntaxHash: '' }, false],
    ['accepted without a class', { ...accepted(''), title: '' }, false],
    ['refused without a reason', { ...accepted('CoinEnv'), accepted: false }, false],
    ['refused for another reason than its layer', { ...refused(), reason: 'obs.empty' }, false],
    ['blamed on the host', refused('infra.zygote_lost'), false],
    ['out of form', { ...accepted('CoinEnv'), forged: true } as Verdict, false],
  ])('records nothing and asks to be called again: %s', async (_, verdict, infraLost) => {
    await expect(judge(verdict, infraLost)).rejects.toThrow(ServiceUnavailable);
    expect(await stores.episodes.exists(keys.verdict(0, 0))).toBe(false);
  });
});
