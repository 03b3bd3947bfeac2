import { createHash } from 'node:crypto';
import { HARMS, type Harm } from '../shared/sandbox/catalogue/run.ts';
import type { Outcome } from './sandbox-jobs.ts';

/** Too few replies have no 99th percentile. */
const FEWEST_REPLIES = 1000;
const PLURAL: Readonly<Record<Harm, string>> = {
  escape: 'escapes',
  'host leak': 'host leaks',
  'lateral effect': 'lateral effects',
  denial: 'denials',
};

/** Layer that a reason belongs to, for the summary of what caught what. */
const LAYER_OF: readonly (readonly [RegExp, string])[] = [
  [/^source\.(empty|too_large|encoding)/, 'intake'],
  [/^(source|import\.forbidden)/, 'static'],
  [/^policy\./, 'system-call filter'],
  [/^limit\.memory/, 'resource limits'],
  [/^(timeout|protocol|crash|limit\.frame|infra|env\.quarantined)/, 'supervisor'],
  [/^(reward|obs|flag|info|class|contract|import|env\.exception|solution)/, 'harness'],
  [/^(nondeterministic|state|degenerate|leak|lifecycle|seed|robust|duplicate|time)/, 'validation'],
];

function layerOf(seen: string): string {
  return LAYER_OF.find(([pattern]) => pattern.test(seen))?.[1] ?? 'none needed';
}

/** The finished runs, and what attacks did to others beyond any one row. */
export interface Report {
  readonly outcomes: readonly Outcome[];
  readonly harms: readonly { readonly harm: Harm; readonly complaint: string }[];
  readonly notes: readonly string[];
}

/** One hash of all that the honest programs showed: equal on every host and under every interpreter, when order is. */
export function transcripts(outcomes: readonly Outcome[]): string[] {
  const programs = outcomes.filter(({ mode }) => mode === 'program');
  if (programs.length === 0) return [];
  const texts = programs.map(({ title, shown }) => JSON.stringify([title, shown])).sort();
  const digest = createHash('sha256').update(texts.join('\n')).digest('hex');
  return [`transcripts of ${programs.length} honest programs: ${digest.slice(0, 16)}`];
}

/** Attacks may slow their neighbours no more than honest programs that compute: twice as much at the 99th percentile. */
export function judgedNeighbours(
  besideAttacks: readonly number[],
  besideHonestMs: readonly number[],
): Pick<Report, 'harms' | 'notes'> {
  if (besideAttacks.length < FEWEST_REPLIES) return { harms: [], notes: [] };
  const [attacked, honest] = [besideAttacks, besideHonestMs].map((ms) => quantile(ms, 0.99)) as [number, number];
  const note = `replies to neighbours, 99th percentile: ${attacked.toFixed(1)} ms beside attacks, ${honest.toFixed(1)} ms beside busy honest programs`;
  return { harms: attacked > 2 * honest ? [{ harm: 'denial', complaint: note }] : [], notes: [note] };
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(q * (sorted.length - 1))] ?? Number.NaN;
}

/** The report as lines for people. */
export function summary({ outcomes, harms, notes }: Report): string[] {
  const passed = (list: readonly Outcome[]) => list.filter(({ complaint }) => complaint === null).length;
  const modes = [...new Set(outcomes.map(({ mode }) => mode))];
  const layers = [...new Set(outcomes.map(({ seen }) => layerOf(seen)))].sort();
  const width = Math.max(...modes.map((mode) => mode.length));
  const cells = (values: readonly (string | number)[]) =>
    values.map((cell, at) => String(cell).padStart(modes[at]?.length ?? 0)).join('  ');
  const total = (harm: Harm) => [...outcomes, ...harms].filter((one) => one.harm === harm).length;
  return [
    ...modes.map((mode) => {
      const list = outcomes.filter((outcome) => outcome.mode === mode);
      return `${mode.padEnd(width)}  ${passed(list)} / ${list.length}`;
    }),
    '',
    `${'caught by'.padEnd(22)}${cells(modes)}`,
    ...layers.map((layer) => {
      const seen = outcomes.filter((outcome) => layerOf(outcome.seen) === layer);
      return `${layer.padEnd(22)}${cells(modes.map((mode) => seen.filter((outcome) => outcome.mode === mode).length))}`;
    }),
    '',
    ...harms.map(({ harm, complaint }) => `${harm}: ${complaint}`),
    ...notes,
    HARMS.map((harm) => `${PLURAL[harm]}: ${total(harm)}`).join(', '),
    `rows passed: ${passed(outcomes)} / ${outcomes.length}`,
  ];
}
