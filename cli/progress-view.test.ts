import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../shared/ports/index.ts';
import { createProgressView, follow, type PhaseState, progressLine } from './progress-view.ts';

const event = (phase: ProgressEvent['phase'], over: Partial<ProgressEvent> = {}): ProgressEvent => ({
  phase,
  experiment: 'x',
  iteration: 1,
  ...over,
});
const afterEvents = (...events: ProgressEvent[]) => events.reduce<PhaseState | null>(follow, null) as PhaseState;

describe('follow', () => {
  it('adds what counts one event each and replaces everything else', () => {
    const state = afterEvents(
      event('design', { total: 3, numbers: { designed: 1 } }),
      event('design', { total: 3, numbers: { valid: 1 } }),
      event('design', { total: 3, numbers: { valid: 1, hinted: 0.2 } }),
      event('design', { total: 3, numbers: { refused: 1, hinted: 0.4 } }),
    );
    expect(state.numbers).toEqual({ designed: 1, valid: 2, refused: 1, hinted: 0.4 });
    expect(progressLine(state, 5)).toContain('3/3');
  });

  it('adds up shards that report one by one', () => {
    const state = afterEvents(
      event('rollout', { done: 5, total: 10, numbers: { shard: 0 } }),
      event('rollout', { done: 2, total: 10, numbers: { shard: 1 } }),
      event('rollout', { done: 8, total: 10, numbers: { shard: 0 } }),
    );
    expect([state.done, state.total]).toEqual([10, 20]);
  });

  it('starts anew with a phase or an iteration', () => {
    expect(afterEvents(event('design', { done: 9, total: 9 }), event('score')).done).toBe(0);
    expect(afterEvents(event('plan', { done: 1 }), event('plan', { iteration: 2 })).iteration).toBe(2);
  });
});

describe('createProgressView', () => {
  const written = (isTTY: boolean, use: (view: ReturnType<typeof createProgressView>) => void) => {
    let text = '';
    use(
      createProgressView(
        {
          isTTY,
          columns: 60,
          write: (part) => {
            text += part;
          },
        },
        5,
      ),
    );
    return text;
  };
  const run = (view: ReturnType<typeof createProgressView>) => {
    view.event(event('rollout', { done: 1, total: 4 }));
    view.event(event('rollout', { done: 4, total: 4, numbers: { hinted: 0.5, env_fault: 0 } }));
    view.event(event('score', { done: 1, total: 1 }));
    view.finish();
  };

  it('writes one line per phase where there is no terminal', () => {
    const lines = written(false, run).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('4/4  hinted 0.500');
    expect(lines[0]).not.toContain('env_fault');
  });

  it('moves one line on a terminal and leaves nothing behind', () => {
    const text = written(true, run);
    expect(text).not.toContain('\n');
    expect(text.endsWith('\r\x1b[2K')).toBe(true);
  });

  it('prints text for good above the moving line', () => {
    expect(
      written(true, (view) => {
        run(view);
        view.print('done');
      }),
    ).toContain('done\n');
  });
});
