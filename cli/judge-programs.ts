import type { ExperimentConfig } from '../shared/contracts/index.ts';
import { type PoolProgram, settingOf } from '../shared/domain/pools.ts';
import { deriveSeed } from '../shared/domain/seeds.ts';
import type { Sandbox } from '../shared/sandbox/index.ts';
import { type ValidationInput, validateEnvironment } from '../shared/validation/index.ts';
import type { OfferedProgram } from './offered-programs.ts';
import type { Judged } from './verdict-view.ts';

/** By what programs are judged. */
export interface JudgeRules {
  /** `auto`: what each program is written for. */
  readonly setting: ExperimentConfig['setting'] | 'auto';
  readonly limits: ValidationInput['limits'];
  readonly modules: readonly string[];
  readonly winThreshold: number;
  /** Root of the probe seeds. */
  readonly seed: number;
  /** For programs that bring no hint of their own. */
  readonly hint: string;
}

/** The rules of an experiment. */
export function rulesOf({ setting, agent, limits, seed }: ExperimentConfig): JudgeRules {
  return {
    setting,
    limits: { maxTurns: agent.maxTurns, ownTurns: agent.turns === 'own' },
    modules: limits.modules,
    winThreshold: agent.winThreshold,
    seed,
    hint: '',
  };
}

/** Judges one offered program. Probe seeds follow from the rules' seed and the program, whatever else is judged beside it. */
export async function judgeOffered(offered: OfferedProgram, rules: JudgeRules, sandbox: Sandbox): Promise<Judged> {
  const { name: file, program } = offered;
  if (program === null) return { file, verdict: null, outcome: 'corrupt', problem: offered.problem, timings: {} };
  const { verdict, timings, infraLost } = await validateEnvironment(inputOf(program, rules), sandbox);
  if (infraLost)
    return { file, verdict: null, outcome: 'lost', problem: `the host failed: ${verdict.detail}; try again`, timings };
  return { file, verdict, outcome: verdict.accepted ? 'accepted' : 'refused', timings };
}

function inputOf({ source, hint }: PoolProgram, rules: JudgeRules): ValidationInput {
  const { setting, limits, modules, winThreshold, seed } = rules;
  return {
    source,
    hint: hint === '' ? rules.hint : hint,
    setting: setting === 'auto' ? settingOf(source) : setting,
    limits,
    modules,
    winThreshold,
    probeSeed: deriveSeed('validate', seed, source),
  };
}
