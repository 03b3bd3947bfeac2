import type { ProgressEvent } from '../shared/ports/index.ts';

type Phase = ProgressEvent['phase'];

/** Wall time of an iteration by phase, in seconds. Phases that did not run are absent. */
export type PhaseSeconds = Partial<Record<Phase, number>>;

/** Splits the time of an iteration among its phases. */
export interface PhaseClock {
  /** Work of a phase was reported: the time since the last report was its. */
  note(phase: Phase): void;
  /** The times since the last call, and a fresh start. Only what this process saw: a resumed iteration has less. */
  take(): PhaseSeconds;
}

/**
 * A clock of phases. Every unit reports its progress when a piece of its work is done, so the time between two reports belongs to the later one.
 * @param now monotonic time in milliseconds
 */
export function phaseClock(now: () => number = () => performance.now()): PhaseClock {
  let last = now();
  let milliseconds: PhaseSeconds = {};
  return {
    note(phase) {
      const time = now();
      milliseconds[phase] = (milliseconds[phase] ?? 0) + time - last;
      last = time;
    },
    take() {
      const taken = Object.entries(milliseconds).map(([phase, ms]) => [phase, Math.round(ms) / 1000]);
      milliseconds = {};
      last = now();
      return Object.fromEntries(taken);
    },
  };
}

/** Passes events on; when an iteration closes, `save` gets the times of its phases first. */
export function timedProgress(
  forward: (event: ProgressEvent) => void,
  save: (closed: ProgressEvent, seconds: PhaseSeconds) => void,
  clock = phaseClock(),
): (event: ProgressEvent) => void {
  return (event) => {
    clock.note(event.phase);
    if (event.phase === 'close') save(event, clock.take());
    forward(event);
  };
}
