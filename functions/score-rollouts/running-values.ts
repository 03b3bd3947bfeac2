import type { Admission, Carry, ExperimentConfig, PlanOutput, Scores } from '../../shared/contracts/index.ts';
import { isHealthy, nextDesignerScale, updateValidFraction } from '../../shared/domain/designer-health.ts';
import { nextEma } from '../../shared/domain/designer-reward.ts';
import { nextDifficulty, updateDifficultyMean } from '../../shared/domain/difficulty.ts';
import { meanOrNull } from '../../shared/domain/statistics.ts';
import { LOST } from '../admit-environments/admit-designs.ts';
import { difficultyOf, type Inheritance } from '../previous-scores.ts';
import type { WindowStatistics } from './window.ts';

/** What this iteration hands to the next. */
export type Handover = Pick<Scores, 'difficulty' | 'carry' | 'designerHealthy'>;

/** What the running values are moved by. */
export interface HandoverInput {
  readonly config: ExperimentConfig;
  readonly plan: PlanOutput;
  readonly admission: Admission;
  readonly measured: ReadonlyMap<string, WindowStatistics>;
  readonly before: Inheritance;
  readonly windowEnds: boolean;
}

/**
 * Moves the running values: the designer's health when a window brought designs, levels and slow means when it ends. Within a
 * window they stay, so that all of its iterations see the same.
 */
export function handOver(input: HandoverInput): Handover {
  const { before, plan } = input;
  const ill = plan.designs.length > 0 && !healthOf(input);
  const carry: Carry = {
    ...before.carry,
    ...(plan.designs.length > 0 &&
      !ill && { validFraction: updateValidFraction(before.carry.validFraction, healthNumbers(input)) }),
    designerScale: nextDesignerScale(before.carry.designerScale, !ill),
  };
  if (!input.windowEnds) return { difficulty: { ...before.difficulty }, carry, designerHealthy: !ill };
  return { ...moveSkills(input, carry), designerHealthy: !ill };
}

function healthOf(input: HandoverInput): boolean {
  return isHealthy(healthNumbers(input), input.before.carry.validFraction, input.config.designer.healthFraction);
}

/** Designs that the host lost say nothing about the designer and are not counted. */
function healthNumbers({ admission }: HandoverInput) {
  const count = (reason: string) => admission.refused.filter((refusal) => refusal.reason === reason).length;
  const judged = admission.environments.length + admission.refused.length - count(LOST);
  const valid = admission.environments.length + count('duplicate');
  return { validFraction: judged === 0 ? null : valid / judged, admitted: admission.environments.length };
}

/** Difficulty controller and slow means, one skill after the other; skills that were not in the window keep theirs. */
function moveSkills(
  { config, admission, measured, before }: HandoverInput,
  carry: Carry,
): Pick<Handover, 'difficulty' | 'carry'> {
  const difficulty = { ...before.difficulty };
  const difficultyMean = { ...carry.difficultyMean };
  const skillEma = { ...carry.skillEma };
  for (const skill of new Set(admission.environments.map((environment) => environment.skill))) {
    const whole = admission.environments
      .filter((environment) => environment.skill === skill)
      .flatMap(({ hash }) => measured.get(hash)?.whole ?? []);
    const asked = difficultyOf(before, skill, config);
    const running = updateDifficultyMean(difficultyMean[skill], asked);
    difficultyMean[skill] = running;
    difficulty[skill] = nextDifficulty(asked, mean(whole.map((s) => s.winRate.unhinted)), config.controller, running);
    const meanReturn = mean(whole.map((s) => s.meanReturn.unhinted));
    if (meanReturn !== null) skillEma[skill] = nextEma(skillEma[skill], meanReturn, config.designer.reward.emaDecay);
  }
  return { difficulty, carry: { ...carry, difficultyMean, skillEma } };
}

function mean(values: readonly (number | null)[]): number | null {
  return meanOrNull(values.filter((value) => value !== null));
}
