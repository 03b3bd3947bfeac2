import { generator, type Layer, opened, probeSeed } from './case.ts';
import { Player, won } from './player.ts';
import { trivialPolicies } from './policies.ts';
import { Rejection } from './rejection.ts';

const SEEDS_PER_NONSENSE = 2;
const SEEDS_PER_CHANCE = 6;

/** 6: nobody wins without understanding. Nonsense may not win once, chance not every time. */
export const trivialPolicyLayer: Layer = async (subject) => {
  const { input, sandbox } = subject;
  const policies = trivialPolicies(input.setting);
  const panel = async (kind: 'nonsense' | 'chance', seeds: number) =>
    Player.with(sandbox, input.source, opened(subject), async (player) => {
      const results: { name: string; wins: number; totals: number[]; seed: number; kind: typeof kind }[] = [];
      for (const policy of policies.filter((p) => p.kind === kind)) {
        const result = { name: policy.name, wins: 0, totals: [] as number[], seed: 0, kind };
        const random = generator(subject, policy.name);
        for (let i = 0; i < seeds; i++) {
          const seed = probeSeed(subject, policy.name, i);
          const transcript = await player.play(
            seed,
            (observation) => policy.act(observation, random),
            input.limits.maxTurns,
          );
          if (won(transcript, input.winThreshold)) Object.assign(result, { wins: result.wins + 1, seed });
          result.totals.push(transcript.rewards.reduce((sum, reward) => sum + reward, 0));
        }
        results.push(result);
      }
      return results;
    });
  const [nonsense, chance] = await Promise.all([
    panel('nonsense', SEEDS_PER_NONSENSE),
    panel('chance', SEEDS_PER_CHANCE),
  ]);
  for (const { name, wins, seed, kind } of [...nonsense, ...chance]) {
    const allowed = kind === 'nonsense' ? 0 : SEEDS_PER_CHANCE - 1;
    if (wins > allowed)
      throw new Rejection('degenerate.always_win', `the policy "${name}" wins`, { seed, numbers: { wins } });
  }
  const mean = (totals: readonly number[]) => totals.reduce((sum, x) => sum + x, 0) / totals.length;
  const best = Math.max(...[...nonsense, ...chance].map(({ totals }) => mean(totals)));
  if (subject.solutionTotal !== undefined && best > 0 && best >= subject.solutionTotal)
    subject.warnings.add('reward.farmable');
  return { numbers: Object.fromEntries(chance.map(({ name, wins }) => [`${name} wins`, wins])) };
};
