import { progressBar, type Screen } from './progress-view.ts';

/** A moving line such as `validate ████░░░░ 12/40  9 accepted  3 refused`; on a terminal only. */
export interface ProgressBar {
  show(done: number, counts: Readonly<Record<string, number>>): void;
  /** Takes the line away, so that something may be printed; the next `show` brings it back. */
  clear(): void;
}

/** Some terminals do not say how wide they are, or say 0. */
const UNKNOWN_COLUMNS = 100;

/** A bar on a screen, usually standard error, so that standard output stays clean for a pipe. */
export function createProgressBar(title: string, total: number, screen: Screen = process.stderr): ProgressBar {
  let open = false;
  return {
    show(done, counts) {
      if (!screen.isTTY) return;
      const numbers = Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([name, count]) => `${count} ${name}`);
      const line = [`${title} ${progressBar(total === 0 ? 1 : done / total)} ${done}/${total}`, ...numbers].join('  ');
      screen.write(`\r\x1b[2K${line.slice(0, (screen.columns || UNKNOWN_COLUMNS) - 1)}`);
      open = true;
    },
    clear() {
      if (open) screen.write('\r\x1b[2K');
      open = false;
    },
  };
}
