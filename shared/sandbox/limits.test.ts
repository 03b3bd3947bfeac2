import { describe, expect, it } from 'vitest';
import { admittedSlots, DEFAULT_LIMITS } from './limits.ts';
import { Quarantine } from './quarantine.ts';
import { sourceFault } from './source.ts';
import { type Scheduling, wasStarved } from './starvation.ts';

const GIGABYTE = 2 ** 30;

describe('admittedSlots', () => {
  it('lets the limits of all episodes together claim at most 80 % of the memory', () => {
    expect(admittedSlots(64, 192, 8 * GIGABYTE)).toBe(34); // floor(0.8 × 8192 / 192)
    expect(admittedSlots(16, 192, 8 * GIGABYTE)).toBe(16);
  });

  it('admits one episode on the smallest machine', () => {
    expect(admittedSlots(8, 1024, GIGABYTE / 2)).toBe(1);
  });

  it.each([0, -1, 1.5, Number.NaN])('refuses %d slots', (slots) => {
    expect(() => admittedSlots(slots, 192)).toThrow(RangeError);
  });
});

describe('Quarantine', () => {
  it('takes a program in after so many costly faults, and only that one', () => {
    const quarantine = new Quarantine(2);
    quarantine.count('a', 'timeout.step');
    expect(quarantine.holds('a')).toBe(false);
    quarantine.count('a', 'crash.signal');
    expect(quarantine.holds('a')).toBe(true);
    expect(quarantine.holds('b')).toBe(false);
  });

  it('does not count what costs nothing or is the host’s doing', () => {
    const quarantine = new Quarantine(1);
    for (const reason of ['env.exception', 'reward.type', 'infra.zygote_lost'] as const) quarantine.count('a', reason);
    expect(quarantine.holds('a')).toBe(false);
  });
});

describe('sourceFault', () => {
  it.each([
    ['', 'source.empty'],
    [' \n', 'source.empty'],
    ['x = "\0"', 'source.encoding'],
    ['\uFEFFx = 1', 'source.encoding'],
    ['x = "\ud800"', 'source.encoding'],
    [`#${'x'.repeat(65_536)}`, 'source.too_large'],
    [`#${'é'.repeat(32_768)}`, 'source.too_large'],
  ])('refuses %j', (source, reason) => {
    expect(sourceFault(source, DEFAULT_LIMITS)?.reason).toBe(reason);
  });

  it('accepts other line ends and separators', () => {
    expect(sourceFault('x = 1\ry = "\u2028"\r\n', DEFAULT_LIMITS)).toBeUndefined();
  });
});

describe('wasStarved', () => {
  const before: Scheduling = { ranMs: 10, queuedMs: 5, runnable: false, dead: false };

  it.each([
    ['a program that computed all the time', { ranMs: 1010, queuedMs: 6, runnable: true, dead: false }, 0, false],
    ['a program that slept', { ranMs: 11, queuedMs: 5, runnable: false, dead: false }, 0, false],
    ['a program that queued for a core', { ranMs: 600, queuedMs: 405, runnable: true, dead: false }, 0, true],
    ['a program that still queues', { ranMs: 20, queuedMs: 5, runnable: true, dead: false }, 0, true],
    ['a program that died just now', { ranMs: 11, queuedMs: 5, runnable: false, dead: true }, 0, true],
    ['a supervisor that looked late', { ranMs: 11, queuedMs: 5, runnable: false, dead: false }, 400, true],
  ])('%s', (_, now, lateBy, starved) => {
    expect(wasStarved(before, now, 1000, lateBy)).toBe(starved);
  });
});
