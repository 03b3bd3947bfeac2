import {
  type BenchmarkScore,
  type ExperimentConfig,
  iterationKeys,
  PlanOutput,
  PolicyManifest,
  Publication,
  type PublishInput,
  type PublishOutput,
  policyKeys,
  Scores,
} from '../../shared/contracts/index.ts';
import type { Ledger, Policy, Progress, Stores } from '../../shared/ports/index.ts';
import { readBenchmark } from '../evaluation.ts';
import { readExperiment } from '../experiment.ts';
import { type Metering, trainingTime } from '../metering.ts';
import { findObject, readObject, writeOnce } from '../objects.ts';
import { recordUsage } from '../usage.ts';
import { findCandidate } from './candidate.ts';
import { judgeCandidate } from './judge-candidate.ts';
import { writeManifest } from './manifest.ts';
import { probeGap } from './probe-gap.ts';
import { referenceScore } from './reference-score.ts';

/** What phase 8 needs of the world. */
export interface PublishDeps {
  readonly stores: Pick<Stores, 'episodes' | 'policies'>;
  readonly policy: Pick<Policy, 'score'>;
  readonly ledger: Pick<Ledger, 'promote' | 'spend'>;
  readonly progress: Progress;
  readonly metering?: Metering;
}

/**
 * Phase 8: makes the candidate current, or says why not. The manifest is written when every file is there and hashed, then the ledger
 * names the version, then the publication is stored; a crash in between is made good by doing it again.
 *
 * What was trained is read from the store, not taken from the state machine: the result object decides.
 */
export async function publishPolicy(input: PublishInput, deps: PublishDeps): Promise<PublishOutput> {
  const { experiment, iteration } = input;
  const { episodes } = deps.stores;
  const keys = iterationKeys(experiment, iteration);
  const publication = (await findObject(episodes, keys.publication, Publication)) ?? (await decide(input, deps));
  await deps.ledger.promote(experiment, iteration, publication.current);
  const stored = await writeOnce(episodes, keys.publication, Publication, publication);
  const { current, promoted, reason } = stored;
  const [score] = stored.benchmark.slice(-1);
  const numbers = { policyVersion: current, promoted: promoted ? 1 : 0, ...(score && { benchmark: score.score }) };
  deps.progress.emit({ phase: 'publish', experiment, iteration, done: 1, total: 1, numbers });
  return { current, promoted, reason };
}

async function decide(input: PublishInput, deps: PublishDeps): Promise<Publication> {
  const { experiment, iteration } = input;
  const { episodes } = deps.stores;
  const keys = iterationKeys(experiment, iteration);
  const [config, plan, scores, candidate] = await Promise.all([
    readExperiment(episodes, experiment),
    readObject(episodes, keys.plan, PlanOutput),
    readObject(episodes, keys.scores, Scores),
    findCandidate(input, deps.stores),
  ]);
  const benchmark = await readScores(config, iteration, plan, deps);
  const kept = { experiment, iteration, promoted: false, current: plan.policyVersion, probeGap: null, benchmark };
  if (!scores.designerHealthy) {
    const current = await versionBefore(experiment, plan.policyVersion, deps);
    return { ...kept, candidate: null, current, reason: 'designer-unhealthy' };
  }
  if (candidate === null) return { ...kept, candidate: null, reason: 'nothing-trained' };

  const time = await trainingTime(candidate.jobName, config, deps.stores.policies, deps.metering);
  await recordUsage(deps.ledger, input, 'train', { trainingTokens: candidate.summary.tokens, ...time });
  const version = plan.nextPolicyVersion;
  if (candidate.summary.status === 'no-update') return { ...kept, candidate: version, reason: 'training-no-update' };
  const gap = await probeGap(experiment, version, candidate.jobName, deps);
  const reason = judgeCandidate({
    gap,
    probeTolerance: config.serving.probeTolerance,
    candidate: benchmark.find((score) => score.policyVersion === version)?.score ?? null,
    reference: await referenceScore(config, iteration, benchmark, deps.stores),
    tolerance: config.evaluation.tolerance,
  });
  // JSON has no infinity: a gap without measure is told by its reason alone.
  const finite = gap !== null && Number.isFinite(gap) ? gap : null;
  if (reason !== 'promoted') return { ...kept, candidate: version, probeGap: finite, reason };
  await writeManifest(config, { iteration, version, parent: plan.policyVersion }, candidate, deps.stores.policies);
  return { ...kept, candidate: version, promoted: true, current: version, probeGap: finite, reason };
}

/** Scores that this iteration measured: the imported version's before training, then the candidate's. */
async function readScores(
  config: ExperimentConfig,
  iteration: number,
  plan: PlanOutput,
  { stores }: PublishDeps,
): Promise<BenchmarkScore[]> {
  const versions = [plan.policyVersion, plan.nextPolicyVersion];
  const scores = await Promise.all(
    versions.map((policyVersion) => readBenchmark({ config, iteration, policyVersion }, stores.episodes)),
  );
  return scores.filter((score) => score !== null);
}

/**
 * The version that an ill designer goes back to (M33): the parent of the current one, since the current one's update did the harm. The
 * imported version has none and stays.
 */
async function versionBefore(experiment: string, version: number, { stores }: PublishDeps): Promise<number> {
  const manifest = await readObject(stores.policies, policyKeys(experiment).manifest(version), PolicyManifest);
  return manifest.parent ?? version;
}
