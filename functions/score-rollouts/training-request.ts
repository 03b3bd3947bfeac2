import {
  type ExperimentConfig,
  type IterationInput,
  iterationKeys,
  type PlanOutput,
  type PolicyManifest,
  policyKeys,
  type ScoreOutput,
  trainingJobName,
} from '../../shared/contracts/index.ts';
import { deriveSeed } from '../../shared/domain/seeds.ts';

type TrainingRequest = NonNullable<ScoreOutput['training']>;

/**
 * What the CreateTrainingJob state cannot know statically; prefixes are relative to the policies store, the batch's to the episodes store.
 * @param state prefix of the training state that the job carries on, or null
 */
export function trainingRequest(
  config: ExperimentConfig,
  { iteration, attempt }: IterationInput,
  plan: PlanOutput,
  manifest: PolicyManifest,
  state: string | null,
): TrainingRequest {
  const { experiment, training } = config;
  const keys = policyKeys(experiment);
  const jobName = trainingJobName(experiment, iteration, attempt);
  // Adapters are all trained on the imported model; the imported model itself needs none beside it.
  const hasBase = manifest.format === 'adapter';
  return {
    jobName,
    policyPrefix: manifest.prefix,
    batchPrefix: iterationKeys(experiment, iteration).batchPrefix,
    statePrefix: state ?? '',
    hasState: state !== null,
    basePrefix: hasBase ? keys.imported : '',
    hasBase,
    outputPrefix: keys.trainingOutput,
    checkpointPrefix: keys.checkpoints(jobName),
    hyperParameters: hyperParameters(config, iteration, plan.nextPolicyVersion, state !== null),
    instanceType: training.instanceType,
    instanceCount: training.instanceCount,
    volumeGb: training.volumeGb,
    maxRuntimeSeconds: training.maxRuntimeSeconds,
    maxWaitSeconds: training.maxWaitSeconds,
    spot: training.spot,
    compression: 'NONE',
  };
}

/** SageMaker hands hyperparameters over as texts. Names are the trainer's (`training-jobs/grpo`). */
function hyperParameters(
  { experiment, seed, training }: ExperimentConfig,
  iteration: number,
  policyVersion: number,
  hasState: boolean,
): Record<string, string> {
  const values = {
    learning_rate: training.learningRate,
    adam_beta1: training.adamBeta1,
    adam_beta2: training.adamBeta2,
    weight_decay: training.weightDecay,
    clip_low: training.clipLow,
    clip_high: training.clipHigh,
    tis_cap: training.tisCap,
    aggregation: training.aggregation,
    agent_weight: training.agentWeight,
    designer_weight: training.designerWeight,
    kl_coef: training.klCoefficient,
    entropy_coef: training.entropyCoefficient,
    epochs: training.epochs,
    steps_per_epoch: training.stepsPerEpoch,
    max_tokens_per_microbatch: training.maxTokensPerMicrobatch,
    max_grad_norm: training.maxGradientNorm,
    seed: deriveSeed(seed, experiment, iteration, 'training'),
    precision: training.precision,
    lora_rank: training.loraRank,
    optimizer_state: optimizerState(training, hasState),
    warmup_steps: training.warmupSteps,
    policy_version: policyVersion,
    threads: training.threads,
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** Without a state to carry, a fresh Adam takes a full-size first step on every weight; warm-up tames it (M34). */
function optimizerState(training: ExperimentConfig['training'], hasState: boolean): string {
  if (training.optimizerState !== 'carry' || hasState) return training.optimizerState;
  return training.warmupSteps > 0 ? 'warmup' : 'fresh';
}
