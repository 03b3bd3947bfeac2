import { InvalidInput } from '../contracts/index.ts';

/** A design's raw reward; 0 for one that was not admitted. */
export interface DesignReward {
  readonly skill: string;
  readonly raw: number;
}

export interface ScaleInput {
  /** Bound of the scale, `designer.reward.maximumScale`. */
  readonly maximumScale: number;
  /** Agent episodes of one iteration that have an advantage. */
  readonly agentEpisodes: number;
  /** Designer samples of the window. */
  readonly designerSamples: number;
  /** R, iterations of the window. */
  readonly windowLength: number;
}

/**
 * How much one design weighs against the agent's samples: `min(maximumScale, agentEpisodes / designerSamples · R)` (M11).
 * There are few designs and many episodes, so without it the designer would hardly move. 0 without designer samples.
 * @example designerScale({ maximumScale: 50, agentEpisodes: 384, designerSamples: 24, windowLength: 4 }) // 50
 */
export function designerScale(input: ScaleInput): number {
  if (input.designerSamples === 0) return 0;
  return Math.min(input.maximumScale, (input.agentEpisodes / input.designerSamples) * input.windowLength);
}

/**
 * Designer advantages of one window: `(raw − mean over the skill's designs) · scale` (M11), in the order given. No division by a
 * standard deviation. The mean runs over all designs of the skill, refused ones with 0 included, so that a valid program of
 * average worth still gains over a broken one. Each skill's advantages sum to 0.
 * @throws {InvalidInput} for a raw reward that is not finite
 */
export function centreAndScale(designs: readonly DesignReward[], scale: number): number[] {
  const odd = designs.find((design) => !Number.isFinite(design.raw));
  if (odd !== undefined) throw new InvalidInput('designer reward', [`${odd.raw} of skill ${odd.skill} is not finite`]);
  const sums = new Map<string, { total: number; count: number }>();
  for (const { skill, raw } of designs) {
    const sum = sums.get(skill) ?? { total: 0, count: 0 };
    sums.set(skill, { total: sum.total + raw, count: sum.count + 1 });
  }
  return designs.map(({ skill, raw }) => {
    const { total, count } = sums.get(skill) as { total: number; count: number };
    return (raw - total / count) * scale + 0;
  });
}
