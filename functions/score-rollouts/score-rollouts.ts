import {
  Admission,
  type ExperimentConfig,
  type IterationInput,
  iterationKeys,
  PlanOutput,
  PolicyManifest,
  policyKeys,
  type ScoreOutput,
  Scores,
} from '../../shared/contracts/index.ts';
import { toJsonLines } from '../../shared/domain/training-batch.ts';
import type { Ledger, Memory, Progress, Store, Stores } from '../../shared/ports/index.ts';
import { readExperiment } from '../experiment.ts';
import { findObject, gzipText, readObject, writeOnce } from '../objects.ts';
import { inherited } from '../previous-scores.ts';
import { overBudget, recordUsage } from '../usage.ts';
import { type AgentSide, agentSide } from './agent-side.ts';
import { type DesignerSide, designerSide } from './designer-side.ts';
import { handOver } from './running-values.ts';
import { isDegraded, summarise } from './summarise.ts';
import { trainingRequest } from './training-request.ts';
import { updateMemory } from './update-memory.ts';
import { windowStatistics } from './window.ts';

/** What phase 5 needs of the world. */
export interface ScoreDeps {
  readonly stores: Pick<Stores, 'episodes' | 'policies'>;
  readonly memory: Pick<Memory, 'find' | 'record'>;
  readonly ledger: Pick<Ledger, 'totalUsd' | 'spend'>;
  readonly progress: Progress;
}

/**
 * Phase 5: from stored episodes to regret, designer rewards, advantages and the training batch; tells the memory what was measured.
 *
 * The scores are stored last, so a replay after a crash does all of it again, with the same result. `train` is false when no sample carries a
 * gradient, when the designer fell ill (its last update is undone instead, M33), or when the budget is spent (M25). On a replay after training `train` stays
 * true: the job has the same name, and its host answers with what it already made.
 */
export async function scoreRollouts(input: IterationInput, deps: ScoreDeps): Promise<ScoreOutput> {
  const { experiment, iteration } = input;
  const { episodes, policies } = deps.stores;
  const keys = iterationKeys(experiment, iteration);
  const config = await readExperiment(episodes, experiment);
  const plan = await readObject(episodes, keys.plan, PlanOutput);
  const scores =
    (await findObject(episodes, keys.scores, Scores)) ??
    (await writeOnce(episodes, keys.scores, Scores, await score(config, iteration, plan, deps)));
  report(scores, deps.progress);
  await recordUsage(deps.ledger, input, 'rollout', rolloutUsage(scores));

  const { agent, designer } = scores.samples;
  const broke = overBudget(await deps.ledger.totalUsd(experiment), config.budget.maxUsd);
  if (agent + designer === 0 || !scores.designerHealthy || broke) return { train: false, training: null };
  const manifest = await readObject(policies, policyKeys(experiment).manifest(plan.policyVersion), PolicyManifest);
  const state = await carriedState(config, manifest, policies);
  return { train: true, training: trainingRequest(config, input, plan, manifest, state) };
}

/** Prefix of the current version's training state, while it is there: a lifecycle rule takes it away after a long pause. */
async function carriedState(
  { training }: ExperimentConfig,
  { trainingState }: PolicyManifest,
  policies: Store,
): Promise<string | null> {
  if (training.optimizerState !== 'carry' || trainingState === null) return null;
  return (await policies.list(trainingState)).length > 0 ? trainingState : null;
}

async function score(config: ExperimentConfig, iteration: number, plan: PlanOutput, deps: ScoreDeps): Promise<Scores> {
  const { experiment } = config;
  const { episodes: store } = deps.stores;
  const admission = await readObject(store, iterationKeys(experiment, iteration).admission, Admission);
  const before = await inherited(experiment, iteration, store);
  const agent = await agentSide(config, iteration, store);
  const measured = await windowStatistics(config, plan.windowStart, iteration, agent.episodes, store);
  const windowEnds = endsWindow(config, plan, admission, iteration);
  const reward = { config, windowStart: plan.windowStart, measured, before, agentEpisodes: agent.keptEpisodes };
  const designer: DesignerSide = windowEnds ? await designerSide(reward, store) : { designers: [], samples: [] };
  await writeBatch(experiment, iteration, agent, designer, deps);
  await updateMemory(config, admission, measured, deps.memory);
  const summary = summarise([...agent.episodes.values()].flat(), agent.statistics, config.agent.winThreshold);
  return {
    experiment,
    iteration,
    environments: [...agent.statistics],
    designers: designer.designers,
    groups: agent.groups,
    actions: { ...agent.actions },
    ...summary,
    ...handOver({ config, plan, admission, measured, before, windowEnds }),
    samples: {
      agent: agent.samples,
      designer: designer.samples.length,
      tokens: agent.tokens + designer.samples.reduce((total, sample) => total + sample.tokenIds.length, 0),
    },
    degraded: isDegraded(summary.episodes, agent.samples + designer.samples.length),
  };
}

/** The last of R iterations, or a window without environments: there will be nothing more to measure. */
function endsWindow(config: ExperimentConfig, plan: PlanOutput, admission: Admission, iteration: number): boolean {
  return admission.environments.length === 0 || iteration - plan.windowStart + 1 >= config.windowLength;
}

/** Agent samples in the order of the shards, then designer samples. */
async function writeBatch(
  experiment: string,
  iteration: number,
  agent: AgentSide,
  designer: DesignerSide,
  { stores }: ScoreDeps,
): Promise<void> {
  const members = [...agent.packed];
  if (designer.samples.length > 0) members.push(gzipText(toJsonLines(designer.samples)));
  if (members.length === 0) return;
  await stores.episodes.put(iterationKeys(experiment, iteration).batch, Buffer.concat(members));
}

/** What phase 4 did, for the ledger. */
function rolloutUsage({ environments, episodes }: Scores): Record<string, number> {
  const total = Object.values(episodes).reduce((sum, count) => sum + count, 0);
  return { environments: environments.length, episodes: total };
}

function report({ experiment, iteration, meanReturn, meanRegret, samples }: Scores, progress: Progress): void {
  const numbers = {
    ...(meanReturn.hinted !== null && { hinted: meanReturn.hinted }),
    ...(meanReturn.unhinted !== null && { unhinted: meanReturn.unhinted }),
    ...(meanRegret !== null && { regret: meanRegret }),
    agentSamples: samples.agent,
    designerSamples: samples.designer,
  };
  progress.emit({ phase: 'score', experiment, iteration, done: 1, total: 1, numbers });
}
