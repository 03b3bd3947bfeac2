import { decimal } from '../dashboard/format.ts';
import type { ProgressEvent } from '../shared/ports/index.ts';

/** Numbers that count one event each, in events that do not say how much is done; all others replace what was shown before. */
const COUNTED = new Set(['designed', 'repaired', 'valid', 'refused']);

/** Where a phase stands, put together from the events of its units. */
export interface PhaseState {
  readonly phase: ProgressEvent['phase'];
  readonly iteration: number;
  readonly done: number;
  readonly total: number;
  readonly numbers: Readonly<Record<string, number>>;
  /** Done and total of each shard; shards report one by one. */
  readonly shards: Readonly<Record<string, { readonly done: number; readonly total: number }>>;
}

/** The state after one more event; a new phase or iteration starts anew. */
export function follow(state: PhaseState | null, event: ProgressEvent): PhaseState {
  const same = state !== null && state.phase === event.phase && state.iteration === event.iteration;
  const before: PhaseState = same
    ? state
    : { phase: event.phase, iteration: event.iteration, done: 0, total: 0, numbers: {}, shards: {} };
  const { shard, ...numbers } = event.numbers ?? {};
  const counts = { done: event.done ?? before.done, total: event.total ?? before.total };
  const shards = shard === undefined ? before.shards : { ...before.shards, [shard]: counts };
  const summed = Object.values(shards).reduce((a, b) => ({ done: a.done + b.done, total: a.total + b.total }), {
    done: 0,
    total: 0,
  });
  return {
    ...before,
    ...(shard === undefined ? counts : summed),
    shards,
    numbers: event.done === undefined ? add(before.numbers, numbers) : { ...before.numbers, ...numbers },
  };
}

function add(
  before: Readonly<Record<string, number>>,
  numbers: Readonly<Record<string, number>>,
): Record<string, number> {
  const entries = Object.entries(numbers).map(([name, value]) => [
    name,
    COUNTED.has(name) ? (before[name] ?? 0) + value : value,
  ]);
  return { ...before, ...Object.fromEntries(entries) };
}

/** One line: `2/5 rollout  ████░░ 345/576  hinted 0.61  unhinted 0.43`. */
export function progressLine(state: PhaseState, iterations: number): string {
  const designed =
    state.phase === 'design'
      ? Math.max(state.done, (state.numbers.valid ?? 0) + (state.numbers.refused ?? 0))
      : state.done;
  const bar = state.total > 1 ? `${progressBar(designed / state.total)} ${designed}/${state.total}` : '';
  const numbers = Object.entries(state.numbers)
    .filter(([name, value]) => value !== 0 && name !== 'designed')
    .map(([name, value]) => `${name} ${Number.isInteger(value) ? value : decimal(value, 3)}`);
  return [`${state.iteration}/${iterations} ${state.phase.padEnd(8)}`, bar, ...numbers]
    .filter((part) => part !== '')
    .join('  ');
}

const WIDTH = 20;

/** A bar of twenty characters. @param fraction in [0, 1]; what is beyond is cut */
export function progressBar(fraction: number): string {
  const full = Math.round(Math.min(1, Math.max(0, fraction)) * WIDTH);
  return '█'.repeat(full) + '░'.repeat(WIDTH - full);
}

/** Where progress goes: the terminal, or a file or pipe. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows progress: on a terminal one line that moves, elsewhere one line at the end of each phase. */
export function createProgressView(screen: Screen, iterations: number) {
  let state: PhaseState | null = null;
  let open = false;
  const clear = () => {
    if (open) screen.write('\r\x1b[2K');
    open = false;
  };
  const finish = () => {
    clear();
    if (state !== null && !screen.isTTY) screen.write(`${progressLine(state, iterations)}\n`);
    state = null;
  };
  return {
    event(event: ProgressEvent): void {
      if (state !== null && (state.phase !== event.phase || state.iteration !== event.iteration)) finish();
      state = follow(state, event);
      if (!screen.isTTY) return;
      const line = progressLine(state, iterations).slice(0, (screen.columns ?? 100) - 1);
      screen.write(`\r\x1b[2K${line}`);
      open = true;
    },
    /** Prints text for good, above the moving line. */
    print(text: string): void {
      finish();
      screen.write(`${text}\n`);
    },
    finish,
  };
}
