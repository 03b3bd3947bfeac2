import type { EnvironmentStatistics, ExperimentConfig } from '../contracts/index.ts';
import { PLAY_FLAGS } from './statistics.ts';

export type DesignerRewardConfig = ExperimentConfig['designer']['reward'];

/** What the designer's reward reads of one environment, measured over its generation window. */
export interface DesignerEvidence {
  /** Regret of the window's first iteration: both arms played by one policy (matched timing); null without pairs. */
  readonly regret: number | null;
  /** Unhinted win rate over the whole window; null when nothing was played. */
  readonly winRate: number | null;
  /** Mean unhinted return over the whole window; null when nothing was played. */
  readonly meanReturn: number | null;
  /** Whether a deadline was exceeded in play. */
  readonly timedOut: boolean;
  /** Whether the program itself ended an episode by a fault. */
  readonly faulted: boolean;
  /** Whether regret may come from a secret in the hint alone (catalogue G05). */
  readonly secretOnly: boolean;
  /** Whether the program faults in one arm, or in place of every loss (catalogue G11). */
  readonly selectiveFaults: boolean;
}

/**
 * Evidence out of the statistics of a window: regret from its first iteration, all else from all of its episodes.
 * @param first statistics over the window's first iteration
 * @param whole statistics over every iteration of the window
 */
export function designerEvidence(first: EnvironmentStatistics, whole: EnvironmentStatistics): DesignerEvidence {
  return {
    regret: first.regret,
    winRate: whole.winRate.unhinted,
    meanReturn: whole.meanReturn.unhinted,
    timedOut: whole.timedOut,
    faulted: (whole.episodes.env_fault ?? 0) > 0,
    secretOnly: first.flags.includes(PLAY_FLAGS.secretOnly),
    selectiveFaults: whole.flags.includes(PLAY_FLAGS.selectiveFaults),
  };
}

/**
 * Raw designer reward of one admitted environment, before centring (M10). A design that was not admitted earns 0; that is the
 * caller's case, since there is nothing to measure.
 *
 * A program that exceeded a deadline gets the fixed timeout reward, once (M9), and one that faults selectively the fixed fault
 * reward: a crash must never pay. One that was never played to an end because it faulted earns 0, as if it had been refused. Of a
 * program that may be a password game, whose hint is worth everything and where nothing is won without it, no more than
 * `secretRegret` counts as regret. Null means that the host lost every episode: there is no evidence, and the
 * design is left out of centring and training.
 * @param ema slow mean of the skill's returns, read by `learning-potential` only; without one the distance is 0
 */
export function rawReward(evidence: DesignerEvidence, config: DesignerRewardConfig, ema?: number): number | null {
  if (evidence.timedOut) return config.timeoutReward;
  if (evidence.selectiveFaults) return config.faultReward;
  if (evidence.winRate === null || evidence.meanReturn === null) return evidence.faulted ? 0 : null;
  switch (config.variant) {
    case 'blend':
      return (
        config.regretWeight * Math.min(1, countedRegret(evidence, config) / config.regretScale) +
        config.plateauWeight * plateau(evidence.winRate, config)
      );
    case 'regret':
      return countedRegret(evidence, config);
    case 'solve-rate':
      return plateau(evidence.winRate, config);
    case 'learning-potential':
      return ema === undefined ? 0 : Math.abs(evidence.meanReturn - ema);
  }
}

/** Regret that is paid for: none below 0, and no more than `secretRegret` where it may come from a secret alone. */
function countedRegret({ regret, secretOnly }: DesignerEvidence, { secretRegret }: DesignerRewardConfig): number {
  const earned = Math.max(0, regret ?? 0);
  return secretOnly ? Math.min(earned, secretRegret) : earned;
}

/**
 * How near a win rate is to the frontier: 1 on the plateau [low, high], falling linearly to 0 over `plateauRamp` on each side.
 * @param winRate fraction in [0, 1]
 * @example plateau(0.275, { plateauLow: 0.4, plateauHigh: 0.6, plateauRamp: 0.25 }) // 0.5
 */
export function plateau(
  winRate: number,
  config: Pick<DesignerRewardConfig, 'plateauLow' | 'plateauHigh' | 'plateauRamp'>,
): number {
  const distance = Math.max(config.plateauLow - winRate, winRate - config.plateauHigh, 0);
  return Math.max(0, 1 - distance / config.plateauRamp);
}

/**
 * Next value of a skill's slow mean of returns; the first value starts it.
 * @param decay share of the old value that stays, in [0, 1]
 */
export function nextEma(ema: number | undefined, value: number, decay: number): number {
  return ema === undefined ? value : decay * ema + (1 - decay) * value;
}
