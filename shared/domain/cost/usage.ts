import { InvalidInput } from '../../contracts/index.ts';
import { nearest } from '../nearest.ts';
import { INSTANCE_HOUR_PRICES, PRICE_DATE, UNIT_PRICES } from './prices.ts';

/** Measured but never billed by themselves: they explain the seconds that are. */
export const UNPRICED_UNITS = [
  'requests',
  'promptTokens',
  'completionTokens',
  'trainingTokens',
  'episodes',
  'environments',
  'seconds',
  'bytes',
] as const;

/** Seconds of a SageMaker instance are named `trainingSeconds:<type>`, `spotTrainingSeconds:<type>` and `endpointSeconds:<type>`. */
const INSTANCE_UNIT = /^(trainingSeconds|spotTrainingSeconds|endpointSeconds):(ml\..+)$/;

/** Spot training is priced at the upper planning share, so that the meter errs on the dear side. */
const SPOT = 0.4;

/**
 * What a unit's usage costs on AWS, in USD, at the dated price table.
 * @param usage amounts by unit: one of `UNIT_PRICES`, of {@link UNPRICED_UNITS}, or instance seconds
 * @throws {InvalidInput} for a unit or instance without a price: an unknown cost must not count as none
 * @example priceUsage({ stateTransitions: 1000 }) // { usd: 0.025, priceDate: '2026-09-27' }
 */
export function priceUsage(usage: Readonly<Record<string, number>>): { usd: number; priceDate: string } {
  const usd = Object.entries(usage).reduce((total, [unit, amount]) => total + amount * priceOf(unit), 0);
  return { usd, priceDate: PRICE_DATE };
}

/** USD for one of a unit. @throws {InvalidInput} */
export function priceOf(unit: string): number {
  if (Object.hasOwn(UNIT_PRICES, unit)) return UNIT_PRICES[unit as keyof typeof UNIT_PRICES].usd;
  if (UNPRICED_UNITS.some((free) => free === unit)) return 0;
  const instance = INSTANCE_UNIT.exec(unit);
  if (instance !== null)
    return (instanceHourPrice(instance[2] as string) / 3600) * (instance[1] === 'spotTrainingSeconds' ? SPOT : 1);
  const meant = nearest(unit, [...Object.keys(UNIT_PRICES), ...UNPRICED_UNITS]);
  throw new InvalidInput('usage', [`no price for ${unit}${meant === null ? '' : `; did you mean ${meant}?`}`]);
}

/** USD an hour of a SageMaker instance. @throws {InvalidInput} */
export function instanceHourPrice(type: string): number {
  const price = INSTANCE_HOUR_PRICES[type];
  if (price !== undefined) return price;
  const meant = nearest(type, Object.keys(INSTANCE_HOUR_PRICES));
  throw new InvalidInput('price table', [
    `no price for ${type} (read ${PRICE_DATE})${meant === null ? '' : `; did you mean ${meant}?`}`,
  ]);
}
