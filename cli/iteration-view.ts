import { meanDifficulty } from '../dashboard/data.ts';
import { decimal, percent, usd } from '../dashboard/format.ts';
import type { PhaseSeconds } from '../local/phase-clock.ts';
import type { ExperimentConfig, IterationRecord } from '../shared/contracts/index.ts';
import { type Column, textTable } from './text-table.ts';

/** One closed iteration as a small table. @param seconds wall times of its phases, empty when they were not kept */
export function iterationBlock(
  record: IterationRecord,
  config: ExperimentConfig,
  seconds: PhaseSeconds,
  spentUsd: number | null,
): string {
  const { designs, scores, training } = record;
  const times = Object.entries(seconds);
  const total = times.reduce((sum, [, part]) => sum + part, 0);
  const time = times.length === 0 ? '' : `   ${total.toFixed(1)} s`;
  const lines: [string, string][] = [
    ['designs', designLine(designs)],
    ['episodes', outcomeLine(record)],
    ['answers', answerLine(record)],
    [
      'returns',
      `hinted ${decimal(scores.meanReturn.hinted)}, unhinted ${decimal(scores.meanReturn.unhinted)}, win rate ${percent(scores.winRate.unhinted)}`,
    ],
    ['regret', `${decimal(scores.meanRegret, 3)}, floored ${percent(scores.flooredFraction)}`],
    ['training', training === null ? 'nothing to train' : trainingLine(record)],
    ['difficulty', `${decimal(meanDifficulty(record, config))} asked for next, mean over skills`],
    [
      'benchmark',
      record.benchmark
        .map((s) => `v${s.policyVersion} ${decimal(s.score, 3)} ± ${decimal(s.standardError, 3)}`)
        .join(', ') || 'not due',
    ],
    ...(times.length === 0
      ? []
      : [['seconds', times.map(([phase, part]) => `${phase} ${part.toFixed(1)}`).join(', ')] as [string, string]]),
    ['spend', `${usd(spentUsd)} so far`],
  ];
  const head = `iteration ${record.iteration} of ${config.iterations}   policy v${record.policyVersion} → v${record.nextPolicyVersion} (${record.publication})${time}`;
  return [head, ...lines.map(([name, text]) => `  ${name.padEnd(11)}${text}`)].join('\n');
}

function designLine(designs: IterationRecord['designs']): string {
  if (designs.requested === 0) return 'none asked: environments of the window, or of the pool';
  const refused = Object.entries(designs.rejectedBy).filter(([reason]) => reason !== 'duplicate');
  const reasons = refused.map(([reason, count]) => `${count} ${reason}`).join(', ');
  const repaired = designs.repaired > 0 ? `, ${designs.repaired} repaired` : '';
  return `${designs.requested} asked, ${designs.accepted} admitted, ${designs.duplicates} duplicates${repaired}${reasons ? `; refused: ${reasons}` : ''}`;
}

function outcomeLine({ scores }: IterationRecord): string {
  const { played = 0, env_fault = 0, infra_lost = 0, unresolved = 0 } = scores.episodes;
  const { kept, zeroSpread, short } = scores.groups;
  return `${played} played, ${env_fault} faults, ${infra_lost + unresolved} lost; groups ${kept} kept, ${zeroSpread} equal, ${short} short`;
}

/** Kinds of answers, most frequent first. */
function answerLine({ scores }: IterationRecord): string {
  const kinds = Object.entries(scores.actions).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return kinds.map(([kind, count]) => `${count} ${kind}`).join(', ') || 'none';
}

function trainingLine({ training, scores }: IterationRecord): string {
  const loss = `loss ${decimal(training?.loss, 4)} (agent ${decimal(training?.lossByRole.agent, 4)}, designer ${decimal(training?.lossByRole.designer, 4)})`;
  return `${loss}, gradient ${decimal(training?.gradientNorm)}, ${scores.samples.agent} agent and ${scores.samples.designer} designer samples`;
}

/** All iterations, a line each. */
export function iterationTable(records: readonly IterationRecord[], config: ExperimentConfig): string {
  const right = (heading: string, cell: Column<IterationRecord>['cell']): Column<IterationRecord> => ({
    heading,
    cell,
    align: 'right',
  });
  return textTable(
    [
      right('it', (r) => String(r.iteration)),
      right('valid', (r) => `${r.designs.accepted}/${r.designs.requested}`),
      right('dup', (r) => String(r.designs.duplicates)),
      right('hinted', (r) => decimal(r.scores.meanReturn.hinted)),
      right('unhinted', (r) => decimal(r.scores.meanReturn.unhinted)),
      right('win', (r) => percent(r.scores.winRate.unhinted)),
      right('regret', (r) => decimal(r.scores.meanRegret, 3)),
      right('level', (r) => decimal(meanDifficulty(r, config))),
      right('loss', (r) => decimal(r.training?.loss, 4)),
      right('benchmark', (r) => r.benchmark.map((s) => `v${s.policyVersion} ${decimal(s.score, 3)}`).join(' ') || '·'),
      { heading: 'policy', cell: (r) => `v${r.nextPolicyVersion} ${r.publication}` },
    ],
    records,
  );
}
