import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from '../shared/contracts/index.ts';
import type { Home } from './home/layout.ts';

/** What became of one line of a pool; refused ones are kept with their verdict (M19). */
export interface ImportedLine {
  readonly line: number;
  readonly id: string;
  readonly outcome: 'accepted' | 'known' | 'refused' | 'corrupt';
  readonly reason: string | null;
  readonly detail: string;
  readonly verdict: Verdict | null;
}

/** The lines of one pool that an experiment has dealt with, on disk: an import that was interrupted goes on after them. */
export interface ImportJournal {
  readonly done: ReadonlyMap<number, ImportedLine>;
  add(line: ImportedLine): void;
}

/** Opens the journal of a pool, by the pool's contents. A last line that was cut by a crash is taken off. */
export function openImportJournal(home: Home, poolSha256: string): ImportJournal {
  const folder = join(home.root, 'imports');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${poolSha256.slice(0, 16)}.jsonl`);
  const done = new Map(read(file).map((line) => [line.line, line]));
  return {
    done,
    add(line) {
      done.set(line.line, line);
      appendFileSync(file, `${JSON.stringify(line)}\n`);
    },
  };
}

function read(file: string): ImportedLine[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file);
  const whole = text.lastIndexOf(0x0a) + 1;
  if (whole < text.byteLength) truncateSync(file, whole);
  const lines = text.subarray(0, whole).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ImportedLine);
}
