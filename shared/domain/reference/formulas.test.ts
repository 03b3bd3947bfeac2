import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { groupAdvantages } from '../advantages.ts';
import { plateau, rawReward } from '../designer-reward.ts';
import { nextDifficulty, startDifficulty } from '../difficulty.ts';
import { CONTROLLER, DESIGNER_REWARD } from '../profiles/method.ts';
import { regret } from '../regret.ts';
import { episodeReturn } from '../returns.ts';
import { deriveSeed, type Rng, rng } from '../seeds.ts';
import { centreAndScale, designerScale } from '../skill-centring.ts';
import { wilsonInterval } from '../statistics.ts';

/** Random inputs of one formula, and our answer to them; the other answer comes from `reference.py`. */
interface Formula {
  readonly draw: (random: Rng) => unknown[];
  readonly ours: (...input: any[]) => unknown;
}

const CASES = 300;
const unit = (random: Rng) => Math.round(random.next() * 1000) / 1000;
const signed = (random: Rng) => unit(random) * 2 - 1;
const list = <T>(random: Rng, most: number, item: (random: Rng) => T) =>
  Array.from({ length: random.int(most + 1) }, () => item(random));
const result = (r: Rng) => (r.int(2) ? r.int(2) : signed(r));

const UNSUSPECTED = { timedOut: false, faulted: false, secretOnly: false, selectiveFaults: false };
const FORMULAS: Readonly<Record<string, Formula>> = {
  episode_return: {
    draw: (r) => [list(r, 6, (x) => signed(x) * 3), r.int(2) === 1, r.pick(['final', 'sum'])],
    ours: (rewards, terminated, scoring) => episodeReturn({ rewards, terminated }, scoring),
  },
  regret: {
    draw: (r) => [list(r, 12, (x) => [result(x), result(x)])],
    ours: (pairs: number[][]) =>
      regret(pairs.map(([hinted, unhinted]) => ({ hinted: hinted as number, unhinted: unhinted as number }))).value,
  },
  plateau: { draw: (r) => [unit(r)], ours: (rate) => plateau(rate, DESIGNER_REWARD) },
  blend: {
    draw: (r) => [unit(r) * 2 * unit(r), unit(r)],
    ours: (value, winRate) =>
      rawReward({ regret: value, winRate, meanReturn: winRate, ...UNSUSPECTED }, DESIGNER_REWARD),
  },
  designer_advantages: {
    draw: (r) => [list(r, 24, (x) => [x.pick(['a', 'b', 'c']), unit(x)]), 1 + unit(r) * 49],
    ours: (designs: [string, number][], scale) =>
      centreAndScale(
        designs.map(([skill, raw]) => ({ skill, raw })),
        scale,
      ),
  },
  designer_scale: {
    draw: (r) => [50, r.int(800), 1 + r.int(48), 1 + r.int(6)],
    ours: (maximumScale, agentEpisodes, designerSamples, windowLength) =>
      designerScale({ maximumScale, agentEpisodes, designerSamples, windowLength }),
  },
  group_advantages: {
    draw: (r) => [list(r, 16, result), r.pick(['mean-centred', 'zscore']), 1 + r.int(24)],
    ours: (returns, kind, planned) => {
      const group = groupAdvantages(returns, { kind, planned, minimumFraction: 0.5 });
      return group.kept ? group.advantages : group.reason;
    },
  },
  next_level: {
    draw: (r) => [1 + unit(r) * 5, unit(r), 1 + unit(r) * 5],
    ours: (level, rate, mean) =>
      nextDifficulty(startDifficulty({ start: level }), rate, CONTROLLER, {
        mean: startDifficulty({ start: mean }),
        windows: 3,
      }).problemSize,
  },
  wilson: {
    draw: (r) => ((n) => [r.int(n + 1), n])(1 + r.int(60)),
    ours: (k, n) => wilsonInterval(k, n),
  },
  derive_seed: {
    draw: (r) => [list(r, 5, (x) => (x.int(2) ? x.int(1e9) : x.pick(['', 'a', 'é"\\', '😀', '\n', '12', '\u2028'])))],
    ours: (parts: (string | number)[]) => deriveSeed(...parts),
  },
};

function close(ours: unknown, theirs: unknown): boolean {
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    return ours.length === theirs.length && ours.every((value, i) => close(value, theirs[i]));
  }
  if (typeof ours !== 'number' || typeof theirs !== 'number') return ours === theirs;
  return Math.abs(ours - theirs) <= 1e-9 * Math.max(1, Math.abs(ours));
}

describe('formulas of the method against an independent implementation in Python', () => {
  const cases = Object.entries(FORMULAS).flatMap(([formula, { draw }]) => {
    const random = rng(deriveSeed('formulas', formula));
    return Array.from({ length: CASES }, () => ({ formula, input: draw(random) }));
  });
  let answers: unknown[] = [];

  beforeAll(() => {
    const script = fileURLToPath(new URL('reference.py', import.meta.url));
    const child = spawnSync(process.env.SPADE_PYTHON ?? 'python3', [script], {
      input: JSON.stringify(cases),
      encoding: 'utf8',
    });
    expect(child.stderr).toBe('');
    answers = JSON.parse(child.stdout);
  }, 60_000);

  it.each(Object.keys(FORMULAS))('%s', (name) => {
    const differing = cases.flatMap(({ formula, input }, index) => {
      if (formula !== name) return [];
      const ours = FORMULAS[formula]?.ours(...input);
      return close(ours, answers[index]) ? [] : [{ input, ours, theirs: answers[index] }];
    });
    expect(differing).toEqual([]);
  });
});
