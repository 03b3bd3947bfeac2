import { expect, test } from 'vitest';
import { phaseClock, timedProgress } from './phase-clock.ts';

test('time between two reports belongs to the phase that reports', () => {
  let time = 1000;
  const clock = phaseClock(() => time);
  const after = (ms: number, phase: Parameters<typeof clock.note>[0]) => {
    time += ms;
    clock.note(phase);
  };
  after(200, 'plan');
  after(1500, 'design');
  after(1500, 'design');
  after(250, 'rollout');
  expect(clock.take()).toEqual({ plan: 0.2, design: 3, rollout: 0.25 });
});

test('a taken clock starts again', () => {
  let time = 0;
  const clock = phaseClock(() => time);
  time = 700;
  clock.note('train');
  clock.take();
  time = 800;
  clock.note('close');
  expect(clock.take()).toEqual({ close: 0.1 });
});

test('the times of an iteration are saved before its end is told', () => {
  const order: unknown[] = [];
  const onProgress = timedProgress(
    (event) => order.push(event.phase),
    (closed, seconds) => order.push([closed.iteration, Object.keys(seconds)]),
  );
  const ids = { experiment: 'e', iteration: 3 };
  for (const phase of ['plan', 'design', 'close', 'plan'] as const) onProgress({ ...ids, phase });
  expect(order).toEqual(['plan', 'design', [3, ['plan', 'design', 'close']], 'close', 'plan']);
});
