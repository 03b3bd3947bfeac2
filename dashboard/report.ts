import { renderChart } from './chart.ts';
import { reportCharts } from './charts.ts';
import {
  benchmarkScores,
  byInterest,
  type EnvironmentView,
  meanDifficulty,
  meanLevel,
  type ReportData,
} from './data.ts';
import { escapeHtml } from './escape.ts';
import { decimal, percent, usd } from './format.ts';
import { STYLE } from './style.ts';

/** Environments shown with their source; more would hide them. */
const SHOWN = 12;

/**
 * The report of an experiment as one self-contained HTML page: no script, no outside resource, everything that a model wrote
 * escaped. The same data give the same page.
 */
export function renderReport(data: ReportData): string {
  const { config, records } = data;
  const name = escapeHtml(config.experiment);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>SPADE: ${name}</title><style>${STYLE}</style></head><body>
<header><h1>${name}</h1><p class="sub">SPADE self-play, profile ${config.profile}, setting ${config.setting}, seed ${config.seed}; ${records.length} of ${config.iterations} iterations closed</p></header>
<ul class="tiles">${tiles(data)
    .map(([label, value]) => `<li><b>${escapeHtml(value)}</b><span>${escapeHtml(label)}</span></li>`)
    .join('')}</ul>
<h2>Curves</h2><div class="charts">${reportCharts(data).map(renderChart).join('')}</div>
<h2>Iterations</h2>${iterationsTable(data)}
<h2>Environments at the frontier</h2>${environments(data)}
<p class="foot">Written by <code>spade report</code> from the experiment's records. Every number is explained in docs/architecture.md and docs/experiments-format.md.</p>
</body></html>
`;
}

function tiles(data: ReportData): [label: string, value: string][] {
  const { records, config, environments: all, spentUsd } = data;
  const scores = benchmarkScores(records);
  const levels = records.map((record) => meanDifficulty(record, config));
  const requested = sum(records.map((record) => record.designs.requested));
  return [
    ['benchmark, first and last version', change(scores.at(0)?.score, scores.at(-1)?.score)],
    ['difficulty asked for, first and last', change(config.controller.start, levels.at(-1))],
    ['mean regret, first and last', change(records.at(0)?.scores.meanRegret, records.at(-1)?.scores.meanRegret)],
    [`environments admitted of ${requested} designs`, String(all.length)],
    ['episodes played', String(sum(records.map((record) => record.scores.episodes.played ?? 0)))],
    ['current policy version', `v${records.at(-1)?.nextPolicyVersion ?? 0}`],
    ['spent, at the dated price table', usd(spentUsd)],
  ];
}

function change(first: number | null | undefined, last: number | null | undefined): string {
  return `${decimal(first)} → ${decimal(last)}`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function iterationsTable({ records, config }: ReportData): string {
  if (records.length === 0) return '<p class="empty card">No iteration is closed yet.</p>';
  const heads = [
    'iteration',
    'valid',
    'admitted',
    'duplicates',
    'episodes',
    'faults',
    'lost',
    'hinted',
    'unhinted',
    'win',
    'regret',
    'groups',
    'level',
    'loss',
    'benchmark',
  ];
  const rows = records.map((record) => {
    const { designs, scores, training } = record;
    const { played = 0, env_fault = 0, infra_lost = 0, unresolved = 0 } = scores.episodes;
    const cells = [
      String(record.iteration),
      percent(designs.validFraction),
      `${designs.accepted}/${designs.requested}`,
      String(designs.duplicates),
      String(played),
      String(env_fault),
      String(infra_lost + unresolved),
      decimal(scores.meanReturn.hinted),
      decimal(scores.meanReturn.unhinted),
      percent(scores.winRate.unhinted),
      decimal(scores.meanRegret, 3),
      String(scores.groups.kept),
      decimal(meanDifficulty(record, config)),
      decimal(training?.loss, 4),
      record.benchmark.map((score) => `v${score.policyVersion} ${decimal(score.score, 3)}`).join(', ') || '·',
    ];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join('')}<td class="text">v${record.nextPolicyVersion} ${escapeHtml(record.publication)}</td></tr>`;
  });
  const head = `${heads.map((text) => `<th>${text}</th>`).join('')}<th class="text">policy after it</th>`;
  return `<div class="card scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

function environments({ environments: all, config }: ReportData): string {
  const shown = [...all].sort(byInterest).slice(0, SHOWN);
  if (shown.length === 0) return '<p class="empty card">No environment was admitted yet.</p>';
  return shown.map((view) => environment(view, meanLevel(view.card.difficulty, config))).join('');
}

/** Where an environment came from, in a few words. */
function madeBy({ provenance }: EnvironmentView['card']): string {
  if ('pool' in provenance) return `imported, ${provenance.pool} line ${provenance.line}`;
  return `iteration ${provenance.iteration}, policy v${provenance.policyVersion}`;
}

function environment({ card, statistics, source, hint }: EnvironmentView, level: number): string {
  const facts = [
    card.skill,
    `level ${decimal(level, 1)}`,
    `regret ${decimal(statistics?.regret, 3)}`,
    `won ${percent(statistics?.winRate.unhinted)} unhinted, ${percent(statistics?.winRate.hinted)} hinted`,
    madeBy(card),
    card.hash.slice(0, 10),
    ...(statistics?.flags ?? []),
  ];
  const spans = facts.map((fact) => `<span>${escapeHtml(fact)}</span>`).join('');
  const said = hint.trim() === '' ? '' : `<blockquote>${escapeHtml(hint.trim())}</blockquote>`;
  return `<details><summary><b>${escapeHtml(card.title)}</b>${spans}</summary><div>${said}<pre>${escapeHtml(source)}</pre></div></details>`;
}
