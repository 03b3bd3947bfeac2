import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './limits.ts';
import { checkedClass, checkedFacts, checkedReset, checkedSolution, checkedStep, faultOf } from './values.ts';

const step = (...parts: unknown[]) => checkedStep(parts, DEFAULT_LIMITS);
const reasonOf = (reply: { ok: boolean; reason?: string }) => reply.reason ?? 'ok';

describe('checkedStep', () => {
  it('passes an honest step on', () => {
    expect(step('x', 0.5, false, true, 2)).toEqual({
      ok: true,
      value: { observation: 'x', reward: 0.5, terminated: false, truncated: true, droppedInfo: 2 },
    });
  });

  it('counts an episode that is both terminated and truncated as terminated', () => {
    expect(step('x', 1, true, true, 0)).toMatchObject({ value: { terminated: true, truncated: false } });
  });

  it.each([
    [[7, 0, false, false, 0], 'obs.type'],
    [['', 0, false, false, 0], 'obs.empty'],
    [['\ud800', 0, false, false, 0], 'obs.encoding'],
    [['x'.repeat(65_537), 0, false, false, 0], 'obs.too_large'],
    [['é'.repeat(32_769), 0, false, false, 0], 'obs.too_large'],
    [['x', '1', false, false, 0], 'reward.type'],
    [['x', true, false, false, 0], 'reward.type'],
    [['x', Number.NaN, false, false, 0], 'reward.not_finite'],
    [['x', -1e7, false, false, 0], 'reward.range'],
    [['x', 0, 1, false, 0], 'flag.type'],
    [['x', 0, false, null, 0], 'flag.type'],
    [['x', 0, false, false, 0.5], 'protocol.malformed'],
    [['x', 0, false, false], 'protocol.malformed'],
  ])('refuses %j', (parts, reason) => {
    expect(reasonOf(step(...parts))).toBe(reason);
  });
});

describe('every check', () => {
  it('gives a reply, never an exception, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (raw) => {
        for (const check of [checkedClass, checkedFacts, checkedSolution]) expect(typeof check(raw).ok).toBe('boolean');
        expect(typeof checkedStep(raw, DEFAULT_LIMITS).ok).toBe('boolean');
        expect(typeof checkedReset(raw, DEFAULT_LIMITS).ok).toBe('boolean');
      }),
    );
  });
});

describe('faultOf', () => {
  it('believes the known reasons of a program', () => {
    expect(faultOf({ index: 0, fault: ['env.exception', 'a\nb'] })).toMatchObject({
      outcome: 'env_fault',
      detail: 'a b',
    });
  });

  it.each(['infra.killed', 'infra.zygote_lost', 'made.up'])('does not let a process claim %s', (reason) => {
    expect(faultOf({ index: 0, fault: [reason, ''] })?.reason).toBe('protocol.malformed');
  });
});

describe('checkedClass', () => {
  it.each(['', 'a b', '../x', '<script>', '1Env', 'E'.repeat(101)])('refuses the name %j', (title) => {
    expect(checkedClass({ title, hasSolution: true, toolUse: false, tools: [] }).ok).toBe(false);
  });
});
