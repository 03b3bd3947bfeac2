import { type ExperimentConfig, experimentKey, InvalidInput } from '../../shared/contracts/index.ts';
import { canonicalJson } from '../../shared/domain/canonical-json.ts';
import type { Store } from '../../shared/ports/index.ts';

/** What may be changed after an experiment has begun: how far it goes, not what it is. */
const RAISABLE: readonly string[] = ['iterations', 'budget.maxUsd'];

/**
 * Fixes an experiment's configuration on its first run; later runs must ask for the same one, except that iterations and budget may be
 * changed.
 * @throws {InvalidInput} naming each field that differs, with both values
 */
export async function fixExperiment(config: ExperimentConfig, episodes: Store): Promise<void> {
  const key = experimentKey(config.experiment);
  const body = `${canonicalJson(config)}\n`;
  const known = await episodes.find(key);
  if (known !== null) {
    const before = flatten(JSON.parse(new TextDecoder().decode(known)));
    const after = flatten(config);
    const fields = [...new Set([...before.keys(), ...after.keys()])].filter(
      (field) => before.get(field) !== after.get(field) && !RAISABLE.includes(field),
    );
    if (fields.length > 0)
      throw new InvalidInput(
        advice(config.experiment),
        fields.map((field) => difference(field, before, after)),
      );
  }
  await episodes.put(key, body);
}

function advice(experiment: string): string {
  return `experiment ${experiment} was begun with another configuration (give the changed one a new name, or another --home)`;
}

function difference(field: string, before: Map<string, string>, after: Map<string, string>): string {
  return `${field} was ${before.get(field) ?? 'not set'}, is now ${after.get(field) ?? 'not set'}`;
}

/** Leaves of a configuration by dotted path; lists count as one value. */
function flatten(value: unknown, path = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Map([[path, JSON.stringify(value)]]);
  return new Map(
    Object.entries(value).flatMap(([key, inner]) => [...flatten(inner, path === '' ? key : `${path}.${key}`)]),
  );
}
