import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type ExperimentConfig, InvalidInput, PolicyManifest, policyKeys } from '../../shared/contracts/index.ts';
import { canonicalJson } from '../../shared/domain/canonical-json.ts';
import type { Store } from '../../shared/ports/index.ts';
import { projectPath } from '../project.ts';
import type { Home } from './layout.ts';

/** Files that ship with the project or are made at set-up, by the names that experiments use. */
const SHIPPED: Readonly<Record<string, string>> = {
  tiny: projectPath('training-jobs/tiny-policy/weights'),
  'python-docs.jsonl': projectPath('dist/corpora/stdlib.jsonl'),
  'tiny-benchmark.jsonl': projectPath('training-jobs/tiny-policy/benchmark.jsonl'),
};

/**
 * A file or folder that an experiment names: shipped with the project, or a path from the experiment file's folder.
 * @throws {InvalidInput} naming the field and the places that were looked at
 */
function located(field: string, name: string, base: string): string {
  const places = [...(SHIPPED[name] ? [SHIPPED[name]] : []), resolve(base, name)];
  const found = places.find((place) => existsSync(place));
  if (found) return found;
  throw new InvalidInput(field, [`${name} is not there; looked at ${places.join(' and ')}`]);
}

/** Brings corpus and benchmark into the corpora store under the keys that the experiment uses; again on each run, so that they are as named. */
export async function importCorpora(config: ExperimentConfig, base: string, home: Home): Promise<void> {
  const wanted = [
    ...(config.grounding.enabled ? [['grounding.corpus', config.grounding.corpus]] : []),
    ...(config.evaluation.every > 0 ? [['evaluation.benchmark', config.evaluation.benchmark]] : []),
  ] as [string, string][];
  for (const [field, key] of wanted) {
    const target = join(home.stores.corpora, key);
    if (!target.startsWith(`${home.stores.corpora}/`)) {
      throw new InvalidInput(field, [
        `${key} would lie outside the corpora store; use a path below the experiment's folder`,
      ]);
    }
    if (!existsSync(target)) await copyWhole(located(field, key, base), target);
  }
}

/** Imports the first policy as version 0: files, then the manifest that lists them. Does nothing when the manifest is there. */
export async function importPolicy(config: ExperimentConfig, base: string, home: Home, policies: Store): Promise<void> {
  const keys = policyKeys(config.experiment);
  if (await policies.exists(keys.manifest(0))) return;
  const from = located('serving.initialPolicy', config.serving.initialPolicy, base);
  const names = (await readdir(from, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  if (!names.includes('config.json')) {
    throw new InvalidInput('serving.initialPolicy', [
      `${from} holds no config.json: expected a Hugging Face model folder`,
    ]);
  }
  const files = [];
  for (const name of names.sort()) {
    await copyWhole(join(from, name), join(home.stores.policies, keys.imported, name));
    files.push({ path: name, bytes: (await stat(join(from, name))).size, sha256: await sha256File(join(from, name)) });
  }
  const manifest = PolicyManifest.parse({
    experiment: config.experiment,
    version: 0,
    parent: null,
    iteration: 0,
    format: 'huggingface',
    prefix: keys.imported,
    files,
    trainingState: null,
    training: null,
  });
  await policies.putIfAbsent(keys.manifest(0), `${canonicalJson(manifest)}\n`);
}

async function copyWhole(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await copyFile(from, `${to}.${process.pid}.partial`);
  await rename(`${to}.${process.pid}.partial`, to);
}

async function sha256File(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
