import {
  Admission,
  Design,
  DesignRequest,
  type ExperimentConfig,
  iterationKeys,
  PlanOutput,
  type Scores,
  type TrainingSample,
} from '../../shared/contracts/index.ts';
import { designerEvidence, rawReward } from '../../shared/domain/designer-reward.ts';
import { centreAndScale, designerScale } from '../../shared/domain/skill-centring.ts';
import { designerSamples } from '../../shared/domain/training-batch.ts';
import type { Store } from '../../shared/ports/index.ts';
import { LOST } from '../admit-environments/admit-designs.ts';
import { findObject, readObject } from '../objects.ts';
import type { Inheritance } from '../previous-scores.ts';
import type { WindowStatistics } from './window.ts';

/** Rewards of a window's designs, and the samples that carry them. */
export interface DesignerSide {
  readonly designers: Scores['designers'];
  readonly samples: readonly TrainingSample[];
}

/** What designs are rewarded by. */
export interface RewardInput {
  readonly config: ExperimentConfig;
  readonly windowStart: number;
  readonly measured: ReadonlyMap<string, WindowStatistics>;
  readonly before: Inheritance;
  /** Agent episodes of this iteration that have an advantage. */
  readonly agentEpisodes: number;
}

interface RewardedRequest {
  readonly request: DesignRequest;
  readonly raw: number;
}

/**
 * The designer's part at the end of a generation window (M11, M12): a raw reward for each design of the window, centred by skill and
 * scaled, and one sample per first answer.
 *
 * A refused design earns 0. So does the first answer of a design that was admitted only after its repair: the first answer is what is
 * trained, and it was refused. A design that the host lost is left out.
 */
export async function designerSide(input: RewardInput, store: Store): Promise<DesignerSide> {
  const { config, windowStart, before } = input;
  const rewarded = await rewardRequests(input, store);
  const scale = designerScale({
    maximumScale: config.designer.reward.maximumScale,
    agentEpisodes: input.agentEpisodes,
    designerSamples: rewarded.length,
    windowLength: config.windowLength,
  });
  const advantages = centreAndScale(
    rewarded.map(({ request, raw }) => ({ skill: request.skill, raw })),
    scale * before.carry.designerScale,
  );
  const designers = rewarded.map(({ request, raw }, position) => ({
    designIndex: request.index,
    skill: request.skill,
    raw,
    advantage: advantages[position] as number,
  }));
  const samples = config.designer.train ? await samplesOf(config, windowStart, rewarded, advantages, store) : [];
  return { designers, samples };
}

async function rewardRequests(input: RewardInput, store: Store): Promise<RewardedRequest[]> {
  const { experiment } = input.config;
  const keys = iterationKeys(experiment, input.windowStart);
  const plan = await readObject(store, keys.plan, PlanOutput);
  const admission = await readObject(store, keys.admission, Admission);
  const requests = await Promise.all(
    plan.designs.map(({ index }) => readObject(store, keys.designRequest(index), DesignRequest)),
  );
  return requests.flatMap((request) => {
    const raw = rawOf(request, admission, input);
    return raw === null ? [] : [{ request, raw }];
  });
}

/** Null when the host lost what would be needed to judge. */
function rawOf(request: DesignRequest, admission: Admission, { config, measured, before }: RewardInput): number | null {
  const lost = admission.refused.some(({ designIndex, reason }) => designIndex === request.index && reason === LOST);
  if (lost) return null;
  const environment = admission.environments.find(({ designIndex }) => designIndex === request.index);
  if (environment === undefined || environment.turn > 0) return 0;
  const statistics = measured.get(environment.hash);
  if (statistics === undefined) return null;
  const evidence = designerEvidence(statistics.first, statistics.whole);
  return rawReward(evidence, config.designer.reward, before.carry.skillEma[request.skill]);
}

async function samplesOf(
  config: ExperimentConfig,
  windowStart: number,
  rewarded: readonly RewardedRequest[],
  advantages: readonly number[],
  store: Store,
): Promise<TrainingSample[]> {
  const keys = iterationKeys(config.experiment, windowStart);
  const designs = await Promise.all(
    rewarded.map(({ request }) => findObject(store, keys.design(request.index, 0), Design)),
  );
  const { temperature } = config.samplers.designer;
  return designerSamples(
    rewarded.flatMap(({ request }, position) => {
      const design = designs[position] ?? null;
      const advantage = advantages[position] as number;
      return design === null
        ? []
        : [{ design, skill: request.skill, advantage, policyVersion: request.policyVersion, temperature }];
    }),
  );
}
