import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT_ROOT, projectPath } from './project.ts';

/** Amazon States Language, as far as the host looks into it; the interpreter reads the rest. */
export interface Definition {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, AslState>>;
}

export interface AslState {
  readonly Type: string;
  readonly Resource?: string;
  readonly ItemProcessor?: Definition;
  readonly Branches?: readonly Definition[];
}

interface Cached {
  readonly inputs: string;
  readonly definition: Definition;
}

/** What the rendered definition is made of; a change in any of these files renders it again. */
const SOURCES = ['infra/rendered.ts', 'infra/units.ts', 'infra/constructs', 'shared/contracts', 'package-lock.json'];

/**
 * SelfPlayIteration as `infra/` renders it, kept in `dist/` because rendering loads the CDK.
 * @param cacheFile - where to keep it @default dist/self-play-iteration.json
 */
export function loadDefinition(cacheFile = projectPath('dist/self-play-iteration.json')): Definition {
  const inputs = hashOfSources();
  const cached = readCached(cacheFile);
  if (cached?.inputs === inputs) return cached.definition;
  const text = execFileSync(process.execPath, [projectPath('infra/render.ts')], {
    encoding: 'utf8',
    cwd: PROJECT_ROOT,
  });
  const definition = JSON.parse(text) as Definition;
  mkdirSync(dirname(cacheFile), { recursive: true });
  writeFileSync(`${cacheFile}.${process.pid}`, JSON.stringify({ inputs, definition } satisfies Cached));
  renameSync(`${cacheFile}.${process.pid}`, cacheFile);
  return definition;
}

function readCached(file: string): Cached | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Cached;
  } catch {
    // Missing or cut short: rendered again.
    return null;
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const path of SOURCES.flatMap((source) => filesUnder(projectPath(source)))) {
    hash.update(path.slice(PROJECT_ROOT.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

function filesUnder(path: string): string[] {
  if (/\.[a-z]+$/.test(path)) return [path];
  const entries = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return entries
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(path, name));
}
