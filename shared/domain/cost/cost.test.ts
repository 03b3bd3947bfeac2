import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROFILE_NAMES } from '../../contracts/index.ts';
import { parseExperiment } from '../experiment-file.ts';
import { profileOf } from '../profiles.ts';
import { estimate, sampledTokens } from './estimate.ts';
import { UNIT_PRICES } from './prices.ts';
import { instanceHourPrice, priceUsage } from './usage.ts';

const config = (text: string) => parseExperiment(text, 'x.yaml');

describe('priceUsage', () => {
  it('prices a Fargate task of 1 vCPU and 2 GB for five minutes, by hand', () => {
    const { usd } = priceUsage({ fargateVcpuSeconds: 300, fargateGbSeconds: 600 });
    expect(usd).toBeCloseTo((0.04048 + 2 * 0.004445) / 12, 12);
  });

  it('prices instance seconds by type, spot at the dear planning share', () => {
    expect(priceUsage({ 'endpointSeconds:ml.g5.2xlarge': 3600 }).usd).toBeCloseTo(1.52, 12);
    expect(priceUsage({ 'spotTrainingSeconds:ml.g5.2xlarge': 3600 }).usd).toBeCloseTo(0.608, 12);
  });

  it('takes tokens and requests as free measurements', () => {
    expect(priceUsage({ promptTokens: 1e9, requests: 5 }).usd).toBe(0);
  });

  it.each(['lambdaRequest', 'endpointSeconds:ml.g9.huge', 'toString'])(
    'refuses %s rather than count it as nothing',
    (unit) => {
      expect(() => priceUsage({ [unit]: 1 })).toThrow('no price for');
    },
  );

  it('is additive', () => {
    const usage = fc.record(
      Object.fromEntries(Object.keys(UNIT_PRICES).map((unit) => [unit, fc.double({ min: 0, max: 1e6, noNaN: true })])),
    );
    fc.assert(
      fc.property(usage, usage, (a, b) => {
        const sum = Object.fromEntries(Object.keys(a).map((unit) => [unit, (a[unit] as number) + (b[unit] as number)]));
        expect(priceUsage(sum).usd).toBeCloseTo(priceUsage(a).usd + priceUsage(b).usd, 6);
      }),
    );
  });
});

describe('estimate', () => {
  it.each(PROFILE_NAMES)('of %s is a range per phase that adds up', (name) => {
    const result = estimate(config(`profile: ${name}`));
    for (const line of result.perIteration) expect(line.usd.low).toBeLessThanOrEqual(line.usd.high);
    const total = result.perIteration.reduce((sum, line) => sum + line.usd.high, 0);
    expect(result.iteration.high).toBeCloseTo(total, 9);
    expect(result.experiment.low).toBeCloseTo(result.iteration.low * profileOf(name).iterations, 9);
  });

  it('counts two arms, and a longer window asks for fewer designs an iteration', () => {
    const tokens = sampledTokens(
      config('agent: {maxTurns: 1, episodes: 4}\ndesigner: {environments: 10}\ncontroller: {enabled: false}'),
    );
    expect(tokens.rollout.high).toBeCloseTo(10 * 4 * 2 * 64 * 0.6, 9);
    expect(sampledTokens(config('windowLength: 4')).design.high).toBeCloseTo(
      sampledTokens(config('windowLength: 1')).design.high / 4,
      9,
    );
  });

  it('lets the endpoint bill while the trainer runs', () => {
    const train = (serving: string) =>
      estimate(config(`serving: {instanceType: ${serving}}`)).perIteration.find(({ phase }) => phase === 'train')?.usd
        .low;
    const seconds = 180; // to start a job, at least
    const dearer = (instanceHourPrice('ml.g5.2xlarge') - instanceHourPrice('ml.c5.xlarge')) / 3600;
    expect((train('ml.g5.2xlarge') ?? 0) - (train('ml.c5.xlarge') ?? 0)).toBeGreaterThanOrEqual(seconds * dearer);
  });

  it('says when the upper end is above the cap', () => {
    expect(estimate(config('iterations: 1\nbudget: {maxUsd: 100}')).exceedsBudget).toBe(false);
    expect(estimate(config('iterations: 9999\nbudget: {maxUsd: 1}')).exceedsBudget).toBe(true);
  });

  it('names an instance without a price', () => {
    expect(() => instanceHourPrice('ml.g5.3xlarge')).toThrow('did you mean ml.g5.');
    expect(() => estimate(config('serving: {instanceType: ml.x9.big}'))).toThrow('no price for ml.x9.big');
  });
});
