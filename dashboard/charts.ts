import type { IterationRecord } from '../shared/contracts/index.ts';
import type { Chart, Point, Series } from './chart.ts';
import { benchmarkScores, meanDifficulty, meanLevel, type ReportData } from './data.ts';
import { decimal, percent } from './format.ts';

/** Half of a 95 % interval, in standard errors. */
const Z = 1.96;

const two = (value: number) => decimal(value);
/** Enough digits for a small loss, no more than needed for a large one. */
const small = (value: number) =>
  value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(0) : Number(value.toPrecision(2)).toString();

/** The curves of M28 in the order in which they are read: does it get better, at what, and is everybody well. */
export function reportCharts(data: ReportData): Chart[] {
  return [
    ability(data),
    abilityBySkill(data),
    difficulty(data),
    winRates(data),
    returns(data),
    regret(data),
    designs(data),
    faults(data),
    groups(data),
    losses(data),
    gradient(data),
    samplerGap(data),
  ];
}

export const BENCHMARK_NOTE = 'Win rate on held-out instances that never change; bars are 95 % intervals.';

/** Benchmark scores by policy version. */
export function benchmarkPoints(records: readonly IterationRecord[]): Point[] {
  return benchmarkScores(records).map((s) => ({ x: s.policyVersion, y: s.score, error: Z * s.standardError }));
}

function ability({ records }: ReportData): Chart {
  return {
    title: 'Ability on the fixed benchmark',
    note: BENCHMARK_NOTE,
    xLabel: 'policy version',
    series: [{ name: 'benchmark', points: benchmarkPoints(records), strong: true }],
    format: two,
  };
}

function abilityBySkill({ records }: ReportData): Chart {
  const scores = benchmarkScores(records);
  const skills = [...new Set(scores.flatMap((score) => Object.keys(score.bySkill)))].sort();
  const series = skills.map((skill) => ({
    name: skill,
    points: scores.flatMap(({ policyVersion, bySkill }) =>
      bySkill[skill] === undefined ? [] : [{ x: policyVersion, y: bySkill[skill] }],
    ),
  }));
  return {
    ...chart('Ability by skill', 'The same benchmark, split by the skill of its programs.', series, two),
    xLabel: 'policy version',
  };
}

function difficulty({ records, config }: ReportData): Chart {
  const bySkill = config.skills.map((skill) => ({
    name: skill,
    points: over(records, ({ scores }) => {
      const asked = scores.difficulty[skill];
      return asked === undefined ? null : meanLevel(asked, config);
    }),
  }));
  const mean: Series = {
    name: 'mean',
    points: over(records, (record) => meanDifficulty(record, config)),
    strong: true,
  };
  return chart(
    'Difficulty that is asked for',
    'Level from 1 to 6 by skill, as the controller asks for it in the next window.',
    [mean, ...bySkill],
    two,
  );
}

function winRates({ records, config }: ReportData): Chart {
  const series = [
    { name: 'unhinted', points: over(records, (r) => r.scores.winRate.unhinted) },
    { name: 'hinted', points: over(records, (r) => r.scores.winRate.hinted) },
  ];
  const { low, high } = config.controller;
  return {
    ...chart(
      'Win rate in self-play',
      `On the environments of each iteration; the controller aims at ${percent(low)} to ${percent(high)}.`,
      series,
      percent,
    ),
    include: [0, 1],
  };
}

function returns({ records }: ReportData): Chart {
  return chart(
    'Mean return by arm',
    'The same seeds with and without the hint.',
    [
      { name: 'unhinted', points: over(records, (r) => r.scores.meanReturn.unhinted) },
      { name: 'hinted', points: over(records, (r) => r.scores.meanReturn.hinted) },
    ],
    two,
  );
}

function regret({ records }: ReportData): Chart {
  const series = [
    { name: 'mean regret', points: over(records, (r) => r.scores.meanRegret) },
    { name: 'floored share', points: over(records, (r) => r.scores.flooredFraction) },
  ];
  return {
    ...chart('Regret', 'What the hint is worth; the floored share are environments where it did harm.', series, two),
    include: [0],
  };
}

function designs({ records }: ReportData): Chart {
  const share = (count: (r: IterationRecord) => number) =>
    over(records, (r) => (r.designs.requested === 0 ? null : count(r) / r.designs.requested));
  const series = [
    { name: 'valid', points: over(records, (r) => r.designs.validFraction) },
    { name: 'admitted', points: share((r) => r.designs.accepted) },
    { name: 'duplicates', points: share((r) => r.designs.duplicates) },
  ];
  return {
    ...chart(
      'Designs',
      'Share of the requested designs that passed validation, were admitted, or were near-duplicates.',
      series,
      percent,
    ),
    include: [0, 1],
  };
}

function faults({ records }: ReportData): Chart {
  const count = (outcome: keyof IterationRecord['scores']['episodes']) =>
    over(records, (r) => r.scores.episodes[outcome] ?? 0);
  const series = [
    { name: 'fault of the program', points: count('env_fault') },
    { name: 'lost by the host', points: count('infra_lost') },
    { name: 'policy did not answer', points: count('unresolved') },
  ];
  return {
    ...chart('Episodes without a return', 'Faults and losses are counted and never rewarded.', series, (value) =>
      String(value),
    ),
    include: [0],
  };
}

function groups({ records }: ReportData): Chart {
  const series = [
    { name: 'kept', points: over(records, (r) => r.scores.groups.kept) },
    { name: 'all returns equal', points: over(records, (r) => r.scores.groups.zeroSpread) },
    { name: 'too short', points: over(records, (r) => r.scores.groups.short) },
  ];
  return {
    ...chart('Groups of episodes', 'Only groups whose returns differ teach the agent.', series, (value) =>
      String(value),
    ),
    include: [0],
  };
}

function losses({ records }: ReportData): Chart {
  const series = (['agent', 'designer'] as const).map((role) => ({
    name: role,
    points: over(records, (r) => r.training?.lossByRole[role] ?? null),
  }));
  return chart(
    'Loss by role',
    'Clipped surrogate, mean over samples; its level says little, a jump says much.',
    series,
    small,
  );
}

function gradient({ records }: ReportData): Chart {
  const points = over(records, (r) => r.training?.gradientNorm ?? null);
  return {
    ...chart(
      'Gradient norm',
      'Before clipping, mean over the steps of an iteration.',
      [{ name: 'norm', points }],
      small,
    ),
    include: [0],
  };
}

function samplerGap({ records }: ReportData): Chart {
  const points = over(records, (r) => r.training?.samplerGap ?? null);
  return {
    ...chart(
      'Gap between sampler and trainer',
      'Mean difference of log-probs on the same tokens; near 0 when both compute the same.',
      [{ name: 'gap', points }],
      small,
    ),
    include: [0],
  };
}

function chart(title: string, note: string, series: readonly Series[], format: Chart['format']): Chart {
  return { title, note, xLabel: 'iteration', series, format };
}

/** A value of every iteration that has it. */
export function over(records: readonly IterationRecord[], value: (record: IterationRecord) => number | null): Point[] {
  return records.flatMap((record) => {
    const y = value(record);
    return y === null ? [] : [{ x: record.iteration, y }];
  });
}
