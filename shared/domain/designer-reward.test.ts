import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DesignerEvidence, designerEvidence, nextEma, plateau, rawReward } from './designer-reward.ts';
import { DESIGNER_REWARD } from './profiles/method.ts';
import { environmentStatistics, scoredEpisode } from './statistics.ts';
import { episodeFor } from './testing.ts';

const unsuspected = { timedOut: false, faulted: false, secretOnly: false, selectiveFaults: false };
const played: DesignerEvidence = { regret: 0.06, winRate: 0.3, meanReturn: 0.3, ...unsuspected };

describe('plateau', () => {
  it.each([
    [0, 0],
    [0.15, 0],
    [0.275, 0.5],
    [0.4, 1],
    [0.5, 1],
    [0.6, 1],
    [0.7, 0.6],
    [0.85, 0],
    [1, 0],
  ])('of win rate %d is %d', (winRate, expected) => {
    expect(plateau(winRate, DESIGNER_REWARD)).toBeCloseTo(expected, 12);
  });
});

describe('rawReward', () => {
  it('blends as the released recipe does: 0.4·clip(0.06/0.15) + 0.6·plateau(0.3)', () => {
    expect(rawReward(played, DESIGNER_REWARD)).toBeCloseTo(0.4 * 0.4 + 0.6 * 0.6, 12);
  });

  it('takes each variant as configured', () => {
    const reward = (variant: (typeof DESIGNER_REWARD)['variant'], ema?: number) =>
      rawReward(played, { ...DESIGNER_REWARD, variant }, ema);
    expect(reward('regret')).toBe(0.06);
    expect(reward('solve-rate')).toBeCloseTo(0.6, 12);
    expect(reward('learning-potential', 0.5)).toBeCloseTo(0.2, 12);
    expect(reward('learning-potential')).toBe(0);
  });

  it('pays the timeout reward whatever else was measured', () => {
    expect(rawReward({ ...played, regret: 2, timedOut: true }, DESIGNER_REWARD)).toBe(-0.5);
  });

  it('does not pay for the regret of a password game (G05): 0.4·clip(0) + 0.6·plateau(0) = 0', () => {
    const password = { ...played, regret: 1, winRate: 0, meanReturn: 0 };
    expect(rawReward(password, DESIGNER_REWARD)).toBe(0.4);
    expect(rawReward({ ...password, secretOnly: true }, DESIGNER_REWARD)).toBe(0);
    const variant = { ...DESIGNER_REWARD, variant: 'regret' } as const;
    expect(rawReward({ ...password, secretOnly: true }, variant)).toBe(0);
    expect(rawReward({ ...password, secretOnly: true }, { ...variant, secretRegret: 0.25 })).toBe(0.25);
    // 0.4·clip(0.06/0.15) = 0.16: a cap above what was earned changes nothing.
    const capped = { ...DESIGNER_REWARD, secretRegret: 0.06 };
    expect(rawReward({ ...password, secretOnly: true }, capped)).toBeCloseTo(0.16, 12);
  });

  it('pays the fault reward to a program that crashes selectively (G11), whatever its regret', () => {
    const crashing = { ...played, regret: 1, winRate: 0.5, faulted: true, selectiveFaults: true };
    expect(rawReward(crashing, DESIGNER_REWARD)).toBe(-0.5);
    expect(rawReward({ ...crashing, selectiveFaults: false }, DESIGNER_REWARD)).toBe(1);
    expect(rawReward({ ...crashing, winRate: null, meanReturn: null }, DESIGNER_REWARD)).toBe(-0.5);
  });

  it('pays 0 for a program that only ever faulted, and judges nothing by what the host lost', () => {
    const nothing = { ...played, regret: null, winRate: null, meanReturn: null };
    expect(rawReward({ ...nothing, faulted: true }, DESIGNER_REWARD)).toBe(0);
    expect(rawReward(nothing, DESIGNER_REWARD)).toBeNull();
  });

  it('never falls when regret rises, and stays in [0, 1] for blend and solve-rate', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        unit,
        unit,
        unit,
        fc.constantFrom('blend' as const, 'solve-rate' as const),
        (winRate, a, b, variant) => {
          const reward = (regret: number) =>
            rawReward({ ...played, winRate, regret }, { ...DESIGNER_REWARD, variant }) as number;
          expect(reward(Math.max(a, b))).toBeGreaterThanOrEqual(reward(Math.min(a, b)));
          expect(reward(a)).toBeGreaterThanOrEqual(0);
          expect(reward(a)).toBeLessThanOrEqual(1 + 1e-12);
        },
      ),
    );
  });
});

describe('designerEvidence', () => {
  it('takes regret from the first iteration and the win rate from the whole window', () => {
    const first = [episodeFor('hinted', 0, 1), episodeFor('unhinted', 0, 0)];
    const later = [episodeFor('hinted', 0, 1, { iteration: 2 }), episodeFor('unhinted', 0, 1, { iteration: 2 })];
    const hash = 'a'.repeat(64);
    const evidence = designerEvidence(
      environmentStatistics(hash, first, 0.5),
      environmentStatistics(hash, [...first, ...later], 0.5),
    );
    expect(evidence).toEqual({ regret: 1, winRate: 0.5, meanReturn: 0.5, ...unsuspected });
  });

  it('suspects a password by the first iteration, and selective faults by the whole window', () => {
    const hash = 'a'.repeat(64);
    const twelve = Array.from({ length: 12 }, (_, index) => index);
    const turns = [{ observation: 'Say the word.', text: '\\boxed{xyzzy}', finishReason: 'stop' as const, reward: 1 }];
    const password = twelve.flatMap((i) => [episodeFor('hinted', i, 1, { turns }), episodeFor('unhinted', i, 0)]);
    const learnt = twelve.flatMap((i) => [
      episodeFor('hinted', i, 1, { iteration: 2 }),
      episodeFor('unhinted', i, i < 6 ? 1 : 'env_fault', { iteration: 2 }),
    ]);
    const statistics = (episodes: typeof password) => environmentStatistics(hash, episodes.map(scoredEpisode), 0.5);
    expect(designerEvidence(statistics(password), statistics([...password, ...learnt]))).toMatchObject({
      secretOnly: true,
      selectiveFaults: false,
    });
    expect(designerEvidence(statistics(learnt), statistics(learnt))).toMatchObject({
      secretOnly: false,
      selectiveFaults: true,
    });
  });
});

describe('nextEma', () => {
  it('starts at the first value and then moves slowly', () => {
    expect(nextEma(undefined, 0.4, 0.98)).toBe(0.4);
    expect(nextEma(0.4, 0.9, 0.98)).toBeCloseTo(0.41, 12);
  });
});
