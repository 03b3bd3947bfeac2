import type { ProgressEvent } from '../shared/ports/index.ts';

type Ids = Pick<ProgressEvent, 'experiment' | 'iteration'>;

/** Fields of a progress line that say what it is or where it stands; every other number is one worth showing. */
const KNOWN = new Set(['event', 'phase', 'experiment', 'iteration', 'done', 'total', 'numbers']);

/**
 * A child's line of standard output as a progress event. Workers know their iteration; the trainer knows only its job, so it is given one.
 * @returns null for any other line: libraries print what they like
 */
export function progressOf(line: string, ids: Ids): ProgressEvent | null {
  const value = parse(line);
  if (value === null || typeof value.phase !== 'string') return null;
  const extra = Object.entries(value).filter(
    (entry): entry is [string, number] => !KNOWN.has(entry[0]) && typeof entry[1] === 'number',
  );
  const numbers = { ...(value.numbers as Record<string, number> | undefined), ...Object.fromEntries(extra) };
  return {
    ...ids,
    phase: value.phase as ProgressEvent['phase'],
    ...(typeof value.experiment === 'string' && { experiment: value.experiment }),
    ...(typeof value.iteration === 'number' && { iteration: value.iteration }),
    ...(typeof value.done === 'number' && { done: value.done }),
    ...(typeof value.total === 'number' && { total: value.total }),
    ...(Object.keys(numbers).length > 0 && { numbers }),
  };
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}
