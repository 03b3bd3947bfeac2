import {
  Design,
  type DesignInput,
  type ExperimentConfig,
  iterationKeys,
  ServiceUnavailable,
  type ValidateOutput,
} from '../../shared/contracts/index.ts';
import { type Verdict, verdictSchema } from '../../shared/contracts/verdict.ts';
import { deriveSeed } from '../../shared/domain/seeds.ts';
import type { Progress, Stores } from '../../shared/ports/index.ts';
import type { Validation, ValidationInput } from '../../shared/validation/types.ts';
import { readExperiment } from '../experiment.ts';
import { findObject, readObject, writeOnce } from '../objects.ts';
import { askJudge, type JudgeDeps } from './ask-judge.ts';
import { checkVerdict, emptyVerdict } from './check-verdict.ts';

/** Runs model-written code behind walls and says what it saw; in process on a laptop, in a function without rights in the cloud. */
export type Validate = (input: ValidationInput) => Promise<Validation>;

/** What judging a design needs of the world. */
export interface ValidateDeps extends JudgeDeps {
  readonly stores: Pick<Stores, 'episodes'>;
  readonly validate: Validate;
  readonly progress: Progress;
}

/**
 * Phase 3: the verdict on one design. What ran the program is not trusted afterwards: its answer is checked again here, and a
 * verdict that contradicts itself counts as no verdict. Then the LLM judge is asked, where the experiment has one.
 * @throws {ServiceUnavailable} when the host, not the program, ended the validation: nothing is recorded and it is tried again
 */
export async function validateDesign(input: DesignInput, deps: ValidateDeps): Promise<ValidateOutput> {
  const { experiment, iteration, index, turn } = input;
  const { episodes } = deps.stores;
  const keys = iterationKeys(experiment, iteration);
  const config = await readExperiment(episodes, experiment);
  const known = await findObject(episodes, keys.verdict(index, turn), verdictSchema);
  if (known !== null) return outputOf(input, known, config);

  const design = await readObject(episodes, keys.design(index, turn), Design);
  const verdict = await judge(design, config, deps);
  const stored = await writeOnce(episodes, keys.verdict(index, turn), verdictSchema, verdict);
  const numbers: Record<string, number> = stored.accepted ? { valid: 1 } : { refused: 1 };
  deps.progress.emit({ phase: 'design', experiment, iteration, total: config.designer.environments, numbers });
  return outputOf(input, stored, config);
}

/** A text without a program needs no sandbox to be refused. */
async function judge(design: Design, config: ExperimentConfig, deps: ValidateDeps): Promise<Verdict> {
  if (design.source === '') return emptyVerdict(design);
  const probeSeed = deriveSeed(config.seed, design.experiment, design.iteration, design.index, design.turn, 'probe');
  const { verdict, infraLost } = await deps.validate({
    source: design.source,
    hint: design.hint,
    setting: config.setting,
    limits: { maxTurns: config.agent.maxTurns, ownTurns: config.agent.turns === 'own' },
    modules: config.limits.modules,
    winThreshold: config.agent.winThreshold,
    probeSeed,
  });
  if (infraLost) throw new ServiceUnavailable('validation', verdict.detail);
  return askJudge({ config, design, verdict: checkVerdict(verdict), probeSeed }, deps);
}

function outputOf({ index, turn }: DesignInput, verdict: Verdict, config: ExperimentConfig): ValidateOutput {
  const repair = !verdict.accepted && turn < config.designer.repairTurns;
  return { index, turn, accepted: verdict.accepted, reason: verdict.reason, repair };
}
