import type { ExperimentConfig } from '../../contracts/index.ts';
import { PRICE_DATE, SPOT_SHARE, UNIT_PRICES } from './prices.ts';
import { instanceHourPrice } from './usage.ts';

/** USD between which a cost is expected to lie. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface EstimateLine {
  /** Phase of the iteration (architecture), and what is bought. */
  readonly phase: 'design' | 'rollout' | 'train' | 'evaluate' | 'overhead';
  readonly what: string;
  readonly usd: Range;
}

export interface Estimate {
  readonly priceDate: string;
  /** One iteration, averaged over a generation window. */
  readonly perIteration: readonly EstimateLine[];
  readonly iteration: Range;
  readonly experiment: Range;
  /** Upper end against the cap. */
  readonly exceedsBudget: boolean;
  readonly assumptions: readonly string[];
}

/** Planning values, not measurements: what a server and a trainer of each profile do in a second, worst and best. */
interface Throughput {
  /** Sampled tokens a second of the endpoint, many requests at once. */
  readonly sampling: Range;
  /** Trained tokens a second of the training instance. */
  readonly training: Range;
}

const THROUGHPUT: Readonly<Record<ExperimentConfig['profile'], Throughput>> = {
  tiny: { sampling: { low: 2000, high: 8000 }, training: { low: 3000, high: 12_000 } },
  'qwen3-4b': { sampling: { low: 1200, high: 4000 }, training: { low: 4000, high: 12_000 } },
  'qwen3-8b': { sampling: { low: 800, high: 2500 }, training: { low: 4000, high: 12_000 } },
  'qwen3-30b-a3b': { sampling: { low: 1500, high: 5000 }, training: { low: 6000, high: 20_000 } },
};

/** Share of the token limit of a turn that is really sampled, and turns that an episode really takes. */
const USED = { tokens: { low: 0.15, high: 0.6 }, turns: { low: 0.15, high: 0.5 } } as const;
/** Seconds before work starts: a training job's provisioning and download, an endpoint's start once per iteration. */
const START_SECONDS = { training: { low: 180, high: 480 }, endpoint: { low: 300, high: 900 } } as const;
/** A worker task while its shard plays: the size that a deployment gives it unless told otherwise (`quotas`). */
const WORKER = { vcpu: 2, gb: 8 } as const;

/**
 * What an experiment will cost on AWS, between a cheap and a dear assumption, per phase and in all. The endpoint dominates:
 * it bills while designs and episodes are sampled. A plan, not a promise; the meter of the run shows what was spent.
 * @throws {InvalidInput} when the price table has no price for an instance
 */
export function estimate(config: ExperimentConfig): Estimate {
  const lines = [design(config), rollout(config), train(config), evaluate(config), overhead(config)];
  const iteration = lines.reduce((total, line) => add(total, line.usd), { low: 0, high: 0 });
  const experiment = { low: iteration.low * config.iterations, high: iteration.high * config.iterations };
  return {
    priceDate: PRICE_DATE,
    perIteration: lines,
    iteration,
    experiment,
    exceedsBudget: experiment.high > config.budget.maxUsd,
    assumptions: assumptions(config),
  };
}

/** Sampled tokens of one iteration in all phases, for the estimate and its explanation. */
export function sampledTokens(config: ExperimentConfig): { design: Range; rollout: Range; evaluate: Range } {
  const { designer, samplers, agent, evaluation, windowLength } = config;
  const designs = (designer.environments * (1 + designer.repairTurns * 0.3)) / windowLength;
  const episode = scale(USED.tokens, samplers.agent.maxTokens);
  const turns = {
    low: Math.max(1, agent.maxTurns * USED.turns.low),
    high: Math.max(1, agent.maxTurns * USED.turns.high),
  };
  const perEpisode = {
    low: Math.min(config.serving.contextTokens, episode.low * turns.low),
    high: Math.min(config.serving.contextTokens, episode.high * turns.high),
  };
  const evaluated = evaluation.every === 0 ? 0 : evaluation.instances / evaluation.every;
  return {
    design: scale(USED.tokens, designs * (samplers.designer.maxTokens + samplers.hint.maxTokens)),
    rollout: scale(perEpisode, designer.environments * agent.episodes * 2),
    evaluate: scale(perEpisode, evaluated),
  };
}

function design(config: ExperimentConfig): EstimateLine {
  const usd = endpointSeconds(config, sampledTokens(config).design);
  return {
    phase: 'design',
    what: `sampling on ${config.serving.instanceType}`,
    usd: scale(usd, endpointSecond(config)),
  };
}

function rollout(config: ExperimentConfig): EstimateLine {
  const seconds = endpointSeconds(config, sampledTokens(config).rollout);
  const shards = Math.ceil(config.designer.environments / config.limits.environmentsPerShard);
  const spot = WORKER.vcpu * UNIT_PRICES.fargateSpotVcpuSeconds.usd + WORKER.gb * UNIT_PRICES.fargateSpotGbSeconds.usd;
  const demand = WORKER.vcpu * UNIT_PRICES.fargateVcpuSeconds.usd + WORKER.gb * UNIT_PRICES.fargateGbSeconds.usd;
  // Workers wait for the endpoint: they run as long as it samples, at least a billed minute each.
  const workers = {
    low: Math.max(60, seconds.low) * shards * spot,
    high: Math.max(60, seconds.high) * shards * demand,
  };
  return {
    phase: 'rollout',
    what: `sampling on ${config.serving.instanceType}, ${shards} worker tasks`,
    usd: add(scale(seconds, endpointSecond(config)), workers),
  };
}

function train(config: ExperimentConfig): EstimateLine {
  const { training, profile } = config;
  const sampled = sampledTokens(config);
  // Only the unhinted half is trained (M2); a prompt comes with each sampled token, counted as the same again.
  const tokens = {
    low: sampled.rollout.low + sampled.design.low,
    high: sampled.rollout.high + 2 * sampled.design.high,
  };
  const work = {
    low: (tokens.low * training.epochs) / THROUGHPUT[profile].training.high,
    high: (tokens.high * training.epochs) / THROUGHPUT[profile].training.low,
  };
  const seconds = {
    low: START_SECONDS.training.low + Math.min(work.low, training.maxRuntimeSeconds),
    high: START_SECONDS.training.high + Math.min(work.high, training.maxRuntimeSeconds),
  };
  const second = (instanceHourPrice(training.instanceType) / 3600) * training.instanceCount;
  const share = training.spot ? SPOT_SHARE : { low: 1, high: 1 };
  const job = { low: seconds.low * second * share.low, high: seconds.high * second * share.high };
  const spot = training.spot ? ', spot' : '';
  return {
    phase: 'train',
    what: `${training.instanceCount} × ${training.instanceType}${spot}; the endpoint waits`,
    usd: add(job, scale(seconds, endpointSecond(config))),
  };
}

function evaluate(config: ExperimentConfig): EstimateLine {
  const usd = scale(endpointSeconds(config, sampledTokens(config).evaluate), endpointSecond(config));
  return { phase: 'evaluate', what: `benchmark every ${config.evaluation.every} iterations`, usd };
}

function overhead(config: ExperimentConfig): EstimateLine {
  const designs = config.designer.environments / config.windowLength;
  const transitions = 60 + designs * 8 + config.designer.environments;
  const requests = UNIT_PRICES.lambdaGbSeconds.usd * 2 * (designs * 30 + 120);
  const objects = UNIT_PRICES.s3Writes.usd * (designs * 8 + 100) + UNIT_PRICES.tableWrites.usd * (designs * 40 + 100);
  const small = transitions * UNIT_PRICES.stateTransitions.usd + requests + objects;
  const start = scale(START_SECONDS.endpoint, endpointSecond(config));
  return {
    phase: 'overhead',
    what: 'endpoint start, state machine, functions, storage',
    usd: add(start, { low: small, high: 3 * small }),
  };
}

function endpointSeconds(config: ExperimentConfig, tokens: Range): Range {
  const { sampling } = THROUGHPUT[config.profile];
  return { low: tokens.low / sampling.high, high: tokens.high / sampling.low };
}

function endpointSecond(config: ExperimentConfig): number {
  return instanceHourPrice(config.serving.instanceType) / 3600;
}

function assumptions(config: ExperimentConfig): string[] {
  const { sampling, training } = THROUGHPUT[config.profile];
  return [
    `prices of us-east-1 read on ${PRICE_DATE}`,
    `${sampling.low}–${sampling.high} sampled tokens/s on one ${config.serving.instanceType} (planning values, not measured)`,
    `${training.low}–${training.high} trained tokens/s on ${config.training.instanceType} (planning values, not measured)`,
    `${USED.tokens.low * 100}–${USED.tokens.high * 100} % of a turn's token limit and ${USED.turns.low * 100}–${USED.turns.high * 100} % of the turns are used`,
    'an endpoint is brought up for each version, and bills while the trainer runs',
  ];
}

function scale(range: Range, factor: number): Range {
  return { low: range.low * factor, high: range.high * factor };
}

function add(a: Range, b: Range): Range {
  return { low: a.low + b.low, high: a.high + b.high };
}
