import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Folder of all experiments of a person unless another one is named. */
export const DEFAULT_HOME = '.spade';

/** Where one experiment lives on this machine: everything that AWS would hold. */
export interface Home {
  readonly root: string;
  readonly stores: Readonly<Record<'environments' | 'episodes' | 'policies' | 'corpora', string>>;
  /** LevelDB of the embedded table. */
  readonly table: string;
  readonly queue: string;
  readonly events: string;
  /** `/opt/ml` of running training jobs. */
  readonly jobs: string;
  /** What runs now: process id and port of the table, for `spade status`. */
  readonly runner: string;
  /** Standard error of the long-lived children. */
  readonly logs: string;
}

/** Paths of an experiment's home; nothing is made. */
export function homeOf(home: string, experiment: string): Home {
  const root = resolve(home, experiment);
  const store = (name: string) => join(root, name);
  return {
    root,
    stores: {
      environments: store('environments'),
      episodes: store('episodes'),
      policies: store('policies'),
      corpora: store('corpora'),
    },
    table: store('table'),
    queue: store('queue'),
    events: store('events'),
    jobs: store('jobs'),
    runner: store('runner.json'),
    logs: store('logs'),
  };
}

/** Makes the folders of a home. */
export function makeHome(home: Home): void {
  for (const path of [...Object.values(home.stores), home.queue, home.events, home.jobs, home.logs]) {
    mkdirSync(path, { recursive: true });
  }
}

/** `file:///…/` of a folder. */
export function folderUri(path: string): string {
  return pathToFileURL(path).href;
}
