import type { ExperimentConfig } from '../contracts/index.ts';

/** A rule between fields: which field to change, and why the values do not go together. */
interface Rule {
  readonly field: string;
  readonly broken: (config: ExperimentConfig) => boolean;
  readonly why: (config: ExperimentConfig) => string;
}

const IMPOSSIBLE: readonly Rule[] = [
  {
    field: 'skillsPerWindow',
    broken: (c) => c.skillsPerWindow > c.skills.length,
    why: (c) => `draws ${c.skillsPerWindow} skills, but only ${c.skills.length} are listed; at most ${c.skills.length}`,
  },
  {
    field: 'skills',
    broken: (c) => new Set(c.skills).size < c.skills.length,
    why: () => 'a skill is listed twice; each at most once',
  },
  {
    field: 'designer.environments',
    broken: (c) => c.designer.environments < c.skillsPerWindow,
    why: (c) => `fewer environments than the ${c.skillsPerWindow} skills of a window; at least ${c.skillsPerWindow}`,
  },
  {
    field: 'memory.frontier',
    broken: ({ memory: m }) => m.frontier[0] > m.frontier[1],
    why: () => 'its lower end is above its upper end; expected [low, high]',
  },
  {
    field: 'memory.tooEasy',
    broken: ({ memory: m }) => m.tooEasy < m.frontier[1] || m.tooHard > m.frontier[0],
    why: () => 'bands overlap; expected tooHard ≤ frontier[0] and frontier[1] ≤ tooEasy',
  },
  {
    field: 'designer.reward.plateauLow',
    broken: ({ designer: d }) => d.reward.plateauLow > d.reward.plateauHigh,
    why: ({ designer: d }) => `is above plateauHigh; at most ${d.reward.plateauHigh}`,
  },
  {
    field: 'controller.low',
    broken: ({ controller: c }) => c.low > c.high,
    why: ({ controller: c }) => `is above controller.high; at most ${c.high}`,
  },
  {
    field: 'training.maxWaitSeconds',
    broken: ({ training: t }) => t.spot && t.maxWaitSeconds < t.maxRuntimeSeconds,
    why: ({ training: t }) => `SageMaker wants it no shorter than maxRuntimeSeconds; at least ${t.maxRuntimeSeconds}`,
  },
  {
    field: 'training.warmupSteps',
    broken: ({ training: t }) => t.optimizerState === 'warmup' && t.warmupSteps === 0,
    why: () => 'optimizerState is warmup; at least 1',
  },
  {
    field: 'samplers.agent.temperature',
    broken: (c) => c.samplers.agent.temperature === 0,
    why: () => 'greedy play has no spread to learn from and log-probs cannot be divided by 0; above 0',
  },
  {
    field: 'samplers.designer.temperature',
    broken: (c) => c.designer.train && c.samplers.designer.temperature === 0,
    why: () => 'a trained designer must sample; above 0, or designer.train: false',
  },
  {
    field: 'serving.contextTokens',
    broken: (c) => Math.max(...samplers(c).map((s) => s.maxTokens)) >= c.serving.contextTokens,
    why: (c) => `leaves no room for a prompt; above ${Math.max(...samplers(c).map((s) => s.maxTokens))}`,
  },
  {
    field: 'limits.episodeMs',
    broken: ({ limits: l }) => l.episodeMs < l.stepMs,
    why: ({ limits: l }) => `is shorter than one step; at least ${l.stepMs}`,
  },
  {
    field: 'setting',
    broken: (c) => c.setting === 'tool-use' && c.prompts === 'tiny',
    why: () => 'the embedded policy knows no tools; expected games, or prompts: standard with another policy',
  },
  {
    field: 'judge.model',
    broken: ({ judge: j }) => j.mode !== 'off' && j.policy !== 'auto' && j.model === '',
    why: ({ judge: j }) => `${j.policy} must be told which model judges`,
  },
  {
    field: 'training.aggregation',
    broken: ({ training: t }) => t.agentWeight === 0 && t.designerWeight === 0,
    why: () => 'agentWeight and designerWeight are both 0, so nothing is trained; at least one above 0',
  },
];

/** Field and reason of every rule between fields that a configuration breaks. */
export function impossibleCombinations(config: ExperimentConfig): { field: string; why: string }[] {
  return IMPOSSIBLE.filter((rule) => rule.broken(config)).map((rule) => ({ field: rule.field, why: rule.why(config) }));
}

/** What is allowed but should be known before a run is paid for, one line each. */
export function experimentWarnings(config: ExperimentConfig): string[] {
  const warnings: string[] = [];
  const truncated = (['agent', 'designer'] as const).filter((role) => isTruncated(config.samplers[role]));
  if (truncated.length > 0) {
    warnings.push(
      `samplers.${truncated.join(', samplers.')}: top-p or top-k cut the distribution that ratios are computed from; the correction is biased (M23)`,
    );
  }
  if (config.designer.train && config.designer.environments < 2 * config.skillsPerWindow) {
    warnings.push(
      'designer.environments: a skill with one design has nothing to be compared with and teaches the designer nothing',
    );
  }
  if (config.evaluation.every === 0)
    warnings.push('evaluation.every: 0 means that no benchmark will tell whether the policy learns');
  return warnings;
}

function samplers(config: ExperimentConfig): ExperimentConfig['samplers']['agent'][] {
  return [config.samplers.agent, config.samplers.designer, config.samplers.hint];
}

function isTruncated(sampler: ExperimentConfig['samplers']['agent']): boolean {
  return sampler.topP < 1 || sampler.topK > 0;
}
