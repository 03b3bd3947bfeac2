import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ExperimentConfig, InvalidInput, PolicyManifest, policyKeys } from '../../shared/contracts/index.ts';
import { canonicalJson } from '../../shared/domain/canonical-json.ts';
import type { Store } from '../../shared/ports/index.ts';
import { projectPath } from '../project.ts';

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

/**
 * Brings corpus and benchmark into the corpora store under the keys that the experiment uses; what is there stays.
 * @throws {InvalidInput} when a file is missing or its key would lie outside the store
 */
export async function importCorpora(config: ExperimentConfig, base: string, corpora: Store): Promise<void> {
  const wanted = [
    ...(config.grounding.enabled ? [['grounding.corpus', config.grounding.corpus]] : []),
    ...(config.evaluation.every > 0 ? [['evaluation.benchmark', config.evaluation.benchmark]] : []),
  ] as [string, string][];
  for (const [field, key] of wanted) {
    if (!(await corpora.exists(key))) await corpora.put(key, await readFile(located(field, key, base)));
  }
}

/**
 * Imports the first policy as version 0: files, then the manifest that lists them. Does nothing when the manifest is there.
 * @throws {InvalidInput} when the folder is missing or holds no model
 */
export async function importPolicy(config: ExperimentConfig, base: string, policies: Store): Promise<void> {
  const keys = policyKeys(config.experiment);
  if (await policies.exists(keys.manifest(0))) return;
  const from = located('serving.initialPolicy', config.serving.initialPolicy, base);
  const files = [];
  for (const name of await modelFiles(from)) {
    const path = join(from, name);
    await policies.putFile(`${keys.imported}${name}`, path);
    files.push({ path: name, bytes: (await stat(path)).size, sha256: await sha256Of(path) });
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

async function modelFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  if (!names.includes('config.json')) {
    throw new InvalidInput('serving.initialPolicy', [
      `${folder} holds no config.json: expected a Hugging Face model folder`,
    ]);
  }
  return names.sort();
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
