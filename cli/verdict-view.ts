import type { LayerResult, Verdict } from '../shared/contracts/index.ts';
import { printable } from './text-table.ts';

/** What became of an offered program. */
export interface Judged {
  /** Path, or path and line. */
  readonly file: string;
  /** Null when no verdict was reached. */
  readonly verdict: Verdict | null;
  /** `corrupt`: there was no program in its place; `lost`: the host, not the program, ended the validation. */
  readonly outcome: 'accepted' | 'refused' | 'corrupt' | 'lost';
  /** Why there is no verdict. */
  readonly problem?: string;
  /** Wall-clock milliseconds by layer. */
  readonly timings: Readonly<Record<string, number>>;
}

/** What `--json` prints of a program, on one line. */
export function judgedJson({ file, verdict, outcome, problem, timings }: Judged): string {
  const round = (ms: number) => Math.round(ms * 10) / 10;
  const layers = (verdict?.layers ?? []).map((layer) => ({ ...layer, ms: round(timings[layer.layer] ?? 0) }));
  return JSON.stringify({
    file,
    verdict: outcome,
    reason: verdict?.reason ?? null,
    detail: verdict?.detail ?? problem ?? '',
    title: verdict?.title ?? '',
    layers,
    evidence: layers.at(-1)?.evidence ?? {},
    warnings: verdict?.warnings ?? [],
    isolation: verdict?.isolation ?? [],
    interpreter: verdict?.interpreter ?? '',
    ms: round(total(timings)),
  });
}

const WORDS = { accepted: 'accepted', refused: 'REFUSED ', corrupt: 'CORRUPT ', lost: 'LOST    ' } as const;

/** One line for people. */
export function judgedLine({ file, verdict, outcome, problem, timings }: Judged): string {
  const title = verdict?.title ? `  ${printable(verdict.title)}` : '';
  const layer = verdict?.layers.at(-1)?.layer ?? 'static';
  const why =
    outcome === 'accepted'
      ? (verdict?.warnings ?? []).map((warning) => `note ${warning}`).join(', ')
      : outcome === 'refused'
        ? `${layer}: ${verdict?.reason}, ${printable(verdict?.detail ?? '')}`
        : (problem ?? '');
  const took = outcome === 'corrupt' ? '' : `  ${Math.round(total(timings))} ms`;
  return `${WORDS[outcome]}  ${printable(file)}${title}${took}${why === '' ? '' : `  ${why}`}`;
}

/** The card of a verdict for people: layer by layer, with what each saw and how long it took. */
export function verdictCard(judged: Judged): string {
  const { verdict, timings } = judged;
  if (verdict === null) return judgedLine(judged);
  const width = Math.max(...verdict.layers.map(({ layer }) => layer.length));
  const lines = verdict.layers.map((layer) => {
    const ms = `${Math.round(timings[layer.layer] ?? 0)} ms`.padStart(8);
    return `  ${layer.passed ? '✓' : '✗'} ${layer.layer.padEnd(width)} ${ms}  ${evidenceText(layer)}`.trimEnd();
  });
  return [
    judgedLine(judged),
    ...lines,
    ...(verdict.warnings.length > 0 ? [`  notes     ${verdict.warnings.join(', ')}`] : []),
    `  isolation ${verdict.isolation.join(', ') || 'none'}`,
    `  run by    ${verdict.interpreter || 'nothing'}`,
  ].join('\n');
}

function evidenceText({ reason, evidence }: LayerResult): string {
  const { seed, action, excerpt, numbers } = evidence;
  return [
    ...(reason === null ? [] : [reason]),
    ...(seed === undefined ? [] : [`seed ${seed}`]),
    ...(action === undefined ? [] : [`action ${JSON.stringify(printable(action))}`]),
    ...(excerpt === undefined ? [] : [`saw ${JSON.stringify(printable(excerpt))}`]),
    ...Object.entries(numbers ?? {}).map(([name, value]) => `${name} ${value}`),
  ].join(', ');
}

function total(timings: Readonly<Record<string, number>>): number {
  return Object.values(timings).reduce((sum, ms) => sum + ms, 0);
}

/** Outcomes counted, and refusals by reason, most frequent first: `9 accepted, 3 refused (2 import.forbidden, 1 source.syntax)`. */
export function summaryLine(
  outcomes: Readonly<Record<string, number>>,
  reasons: Readonly<Record<string, number>>,
): string {
  const why = Object.entries(reasons)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([reason, count]) => `${count} ${reason}`);
  return Object.entries(outcomes)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}${outcome === 'refused' ? ` (${why.join(', ')})` : ''}`)
    .join(', ');
}
