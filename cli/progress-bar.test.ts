import { expect, test } from 'vitest';
import { createProgressBar } from './progress-bar.ts';

const screenOf = (isTTY: boolean) => {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  return { isTTY, columns: 60, write, read: () => text };
};

test('a terminal gets one line that moves and goes away', () => {
  const screen = screenOf(true);
  const bar = createProgressBar('validate', 4, screen);
  bar.show(1, { accepted: 1, refused: 0 });
  expect(screen.read()).toBe('\r\x1b[2Kvalidate █████░░░░░░░░░░░░░░░ 1/4  1 accepted');
  bar.clear();
  bar.clear();
  expect(screen.read().endsWith('\r\x1b[2K')).toBe(true);
  expect(screen.read().split('\x1b[2K')).toHaveLength(3);
});

test('the line is no longer than the terminal is wide', () => {
  const screen = screenOf(true);
  createProgressBar('validate', 1e6, screen).show(5e5, { accepted: 123456, refused: 123456, lost: 123456 });
  expect(screen.read().replace('\r\x1b[2K', '')).toHaveLength(59);
});

test('nothing to do is done', () => {
  const screen = screenOf(true);
  createProgressBar('import', 0, screen).show(0, {});
  expect(screen.read()).toContain('████████████████████ 0/0');
});

test('a file or pipe gets nothing', () => {
  const screen = screenOf(false);
  const bar = createProgressBar('validate', 4, screen);
  bar.show(1, {});
  bar.clear();
  expect(screen.read()).toBe('');
});
