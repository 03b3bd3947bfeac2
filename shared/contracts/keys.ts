/**
 * Every object key and table key of the project. Keys are built from ids that are already validated (`primitives.ts`), never from
 * model-written text; skills are escaped. Four stores: environments, episodes, policies, corpora (design: one bucket each).
 */

/** Iterations, policy versions and design indices sort as text. */
export function pad4(n: number): string {
  return String(n).padStart(4, '0');
}

/** Store `episodes`: everything that one iteration makes. */
export const iterationKeys = (experiment: string, iteration: number) => {
  const root = `${experiment}/${pad4(iteration)}`;
  return {
    root,
    plan: `${root}/plan.json`,
    designRequest: (index: number) => `${root}/designs/${pad4(index)}/request.json`,
    design: (index: number, turn: number) => `${root}/designs/${pad4(index)}/design-${turn}.json`,
    verdict: (index: number, turn: number) => `${root}/designs/${pad4(index)}/verdict-${turn}.json`,
    admission: `${root}/admission.json`,
    rolloutJob: (shard: number) => `${root}/rollouts/${pad4(shard)}.json`,
    episodesPrefix: `${root}/episodes/`,
    episodes: (environment: string) => `${root}/episodes/${environment}.jsonl.gz`,
    scores: `${root}/scores.json`,
    batchPrefix: `${root}/batch/`,
    batch: `${root}/batch/samples.jsonl.gz`,
    evaluationJob: (version: number, shard: number) => `${root}/evaluations/v${pad4(version)}/${pad4(shard)}.json`,
    evaluationPrefix: (version: number) => `${root}/evaluations/v${pad4(version)}/episodes/`,
    evaluationEpisodes: (version: number, shard: number) =>
      `${root}/evaluations/v${pad4(version)}/episodes/${pad4(shard)}.jsonl.gz`,
    publication: `${root}/publication.json`,
    record: `${root}/record.json`,
    failure: (attempt: number) => `${root}/failure-${attempt}.json`,
    timings: (unit: string) => `${root}/timings/${unit}.json`,
    taskTimesPrefix: `${root}/timings/tasks/`,
    taskTime: (task: string) => `${root}/timings/tasks/${task}.json`,
  };
};

/** Store `episodes`: the resolved configuration of an experiment. */
export const experimentKey = (experiment: string) => `${experiment}/experiment.json`;

/** Store `environments`: one accepted environment. */
export const environmentKeys = (experiment: string, hash: string) => ({
  source: `${experiment}/${hash}/source.py`,
  hint: `${experiment}/${hash}/hint.txt`,
  card: `${experiment}/${hash}/card.json`,
});

/** In front of the experiment, unlike all other keys: what lies here is needed for one iteration, and a lifecycle rule goes by the front. */
export const CHECKPOINTS_ROOT = 'checkpoints/';

/** Store `policies`: the manifest is written last and names the prefix that holds the files. */
export const policyKeys = (experiment: string) => ({
  manifest: (version: number) => `${experiment}/v${pad4(version)}/manifest.json`,
  imported: `${experiment}/v0000/files/`,
  /** SageMaker writes `<trainingOutput><jobName>/output/model/…` (OutputDataConfig.CompressionType NONE). */
  trainingOutput: `${experiment}/training/`,
  trainedModel: (jobName: string) => `${experiment}/training/${jobName}/output/model/`,
  checkpoints: (jobName: string) => `${CHECKPOINTS_ROOT}${experiment}/${jobName}/`,
  trainingState: (jobName: string) => `${CHECKPOINTS_ROOT}${experiment}/${jobName}/final/`,
  trainingSummary: (jobName: string) => `${CHECKPOINTS_ROOT}${experiment}/${jobName}/summary.json`,
  trainingTimings: (jobName: string) => `${CHECKPOINTS_ROOT}${experiment}/${jobName}/timings.json`,
  probe: (jobName: string) => `${CHECKPOINTS_ROOT}${experiment}/${jobName}/probe.json`,
});

/** Name of the training job: unique per account, at most 63 characters of `[A-Za-z0-9-]`. */
export const trainingJobName = (experiment: string, iteration: number, attempt: number) =>
  `spade-${experiment}-i${pad4(iteration)}-a${attempt}`;

/** Name under which the policy server knows a version. */
export const policyModelName = (experiment: string, version: number) => `${experiment}-v${pad4(version)}`;

/** Keys of the one table (design §5). */
export const tableKeys = {
  meta: (experiment: string) => ({ PK: `EXP#${experiment}`, SK: 'META' }),
  lease: (experiment: string) => ({ PK: `EXP#${experiment}`, SK: 'LEASE' }),
  iteration: (experiment: string, iteration: number) => ({ PK: `EXP#${experiment}`, SK: `ITER#${pad4(iteration)}` }),
  policy: (experiment: string, version: number) => ({ PK: `EXP#${experiment}`, SK: `POLICY#${pad4(version)}` }),
  spend: (experiment: string, entry: string) => ({ PK: `EXP#${experiment}`, SK: `SPEND#${entry}` }),
  skill: (experiment: string, skill: string) => ({ PK: `EXP#${experiment}`, SK: `SKILL#${escapeKeyPart(skill)}` }),
  tree: (experiment: string, syntaxHash: string) => ({ PK: `EXP#${experiment}#TREE#${syntaxHash}`, SK: 'COUNT' }),
  environment: (experiment: string, hash: string) => ({ PK: `ENV#${hash}`, SK: `EXP#${experiment}` }),
  /** Titles by iteration, newest last. */
  title: (experiment: string, iteration: number, hash: string) => ({
    PK: `EXP#${experiment}#TITLES`,
    SK: `${pad4(iteration)}#${hash}`,
  }),
  /** Environments that share a near-duplicate bucket, by iteration. */
  bucket: (experiment: string, bucket: string, iteration: number, hash: string) => ({
    PK: `EXP#${experiment}#BUCKET#${escapeKeyPart(bucket)}`,
    SK: `${pad4(iteration)}#${hash}`,
  }),
  byRegret: (experiment: string, skill: string, band: Band) =>
    `EXP#${experiment}#SKILL#${escapeKeyPart(skill)}#${band}`,
} as const;

/** Bands of the regret index: what a design request may draw from (M14). */
export const BANDS = ['frontier', 'easy', 'hard', 'other'] as const;
export type Band = (typeof BANDS)[number];

/** Index of environments by regret. */
export const REGRET_INDEX = 'byRegret';
/** Its key attributes: the value of `tableKeys.byRegret` (text), and the rank (number; highest regret first when read backwards). */
export const REGRET_INDEX_KEYS = { partition: 'regretBand', sort: 'regretRank' } as const;

/** A skill name as part of a key: `#`, `/`, `%` and anything outside printable ASCII are percent-encoded. */
export function escapeKeyPart(text: string): string {
  return encodeURIComponent(text);
}

/** Environment variables by which the hosts tell a unit where things are. */
export const ENVIRONMENT_VARIABLES = {
  environments: 'SPADE_ENVIRONMENTS',
  episodes: 'SPADE_EPISODES',
  policies: 'SPADE_POLICIES',
  corpora: 'SPADE_CORPORA',
  table: 'SPADE_TABLE',
  queue: 'SPADE_QUEUE',
  events: 'SPADE_EVENTS',
  policy: 'SPADE_POLICY',
  job: 'SPADE_JOB',
  /** Size and capacity provider of the task that runs a job (cloud only), for the ledger. */
  taskVcpu: 'SPADE_TASK_VCPU',
  taskMemoryMb: 'SPADE_TASK_MEMORY_MB',
  capacity: 'SPADE_CAPACITY',
  stage: 'SPADE_STAGE',
  python: 'SPADE_PYTHON',
  sandbox: 'SPADE_SANDBOX',
  /** Socket of a sandbox that runs in a container of its own, beside the worker's. */
  door: 'SPADE_SANDBOX_DOOR',
  /** Name of the function that validates model-written programs (cloud only; the laptop validates in process). */
  validator: 'SPADE_VALIDATOR',
  /** ARN of the state machine that start-iteration starts (cloud only). */
  stateMachine: 'SPADE_STATE_MACHINE',
} as const;
