import { isMap, LineCounter, parseDocument } from 'yaml';
import { ExperimentConfig, InvalidInput, PROFILE_NAMES } from '../contracts/index.ts';
import { impossibleCombinations } from './experiment-rules.ts';
import { nearest } from './nearest.ts';
import { type ProfileName, profileOf } from './profiles.ts';

type Tree = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/**
 * An experiment file as a complete configuration: the file's values over those of its profile (`tiny` when it names none). Lists
 * replace lists. The experiment's name defaults to the file's, so that copying a file makes a new experiment.
 * @throws {InvalidInput} naming the file and, for each problem, line, field, what was expected, and the nearest valid key
 */
export function parseExperiment(text: string, file: string): ExperimentConfig {
  const { tree, lineOf } = readYaml(text, file);
  const profile = profileName(tree, file);
  const complete = merge({ experiment: stem(file), ...profileOf(profile) }, tree) as Tree;
  const parsed = ExperimentConfig.safeParse(complete);
  const problems = parsed.success
    ? [...impossibleCombinations(parsed.data).map(({ field, why }) => ({ path: field.split('.'), why })), ...idle(tree)]
    : parsed.error.issues.flatMap((issue) => explain(issue, complete));
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new InvalidInput(
    file,
    problems.map(({ path, why }) => `${lineOf(path)}${path.join('.')}: ${why}`),
  );
}

function readYaml(text: string, file: string): { tree: Tree; lineOf: (path: Path) => string } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: true });
  if (document.errors.length > 0) {
    throw new InvalidInput(
      file,
      document.errors.map((error) => `not YAML: ${error.message.split('\n')[0]}`),
    );
  }
  if (!isMap(document.contents)) throw new InvalidInput(file, ['expected keys and values, such as "profile: tiny"']);
  const lineOf = (path: Path): string => {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true) as { range?: readonly number[] } | undefined;
      if (node?.range) return `line ${lines.linePos(node.range[0] as number).line}, `;
    }
    return '';
  };
  return { tree: document.toJS({ maxAliasCount: 100 }) as Tree, lineOf };
}

function profileName(tree: Tree, file: string): ProfileName {
  const name = tree.profile ?? 'tiny';
  const found = PROFILE_NAMES.find((profile) => profile === name);
  if (found !== undefined) return found;
  const meant = typeof name === 'string' ? nearest(name, PROFILE_NAMES) : null;
  const hint = meant === null ? '' : `; did you mean ${meant}?`;
  throw new InvalidInput(file, [`profile: expected one of ${PROFILE_NAMES.join(', ')}, got ${show(name)}${hint}`]);
}

function stem(file: string): string {
  const base = file.split(/[/\\]/).at(-1) as string;
  return base.replace(/\.ya?ml$/, '');
}

function merge(base: unknown, over: unknown): unknown {
  if (!isTree(base) || !isTree(over)) return over;
  const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
  // fromEntries defines own properties, so that a key such as __proto__ stays a key.
  return Object.fromEntries([...keys].map((key) => [key, mergeKey(base, over, key)]));
}

function mergeKey(base: Tree, over: Tree, key: string): unknown {
  return Object.hasOwn(over, key) ? (Object.hasOwn(base, key) ? merge(base[key], over[key]) : over[key]) : base[key];
}

type Issue = { code: string; path: PropertyKey[]; message: string; keys?: string[]; values?: readonly unknown[] };

function explain(issue: Issue, complete: Tree): { path: Path; why: string }[] {
  const path = issue.path.filter((part): part is string | number => typeof part !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    return (issue.keys ?? []).map((key) => ({ path: [...path, key], why: unknownKey(path, key, complete) }));
  }
  const value = at(complete, path);
  const choices = (issue.values ?? []).filter((choice) => typeof choice === 'string');
  const meant = typeof value === 'string' ? nearest(value, choices) : null;
  const suggestion = meant === null ? '' : `; did you mean ${meant}?`;
  return [{ path, why: `${expectation(issue.message)}, got ${show(value)}${suggestion}` }];
}

/** zod says "Invalid input: expected number, received string"; we say what was expected and show the value itself. */
function expectation(message: string): string {
  return message
    .replace(/^(?:Invalid input|Invalid option|Too small|Too big|Invalid string): /, '')
    .replace(/, received .*$/, '');
}

function unknownKey(path: Path, key: string, complete: Tree): string {
  const known = at({ experiment: '', ...profileOf(complete.profile as ProfileName) }, path);
  const siblings = isTree(known) ? Object.keys(known) : [];
  const meant = nearest(key, siblings);
  if (meant !== null) return `unknown key; did you mean ${[...path, meant].join('.')}?`;
  const elsewhere = allPaths(profileOf(complete.profile as ProfileName)).find(
    (field) => field.split('.').at(-1) === key,
  );
  return elsewhere === undefined
    ? `unknown key; expected one of ${siblings.join(', ')}`
    : `unknown key here; did you mean ${elsewhere}?`;
}

/** Switched off, and yet configured in the same file: the author expects something that will not happen. */
function idle(tree: Tree): { path: Path; why: string }[] {
  const memory = isTree(tree.memory) ? tree.memory : {};
  if (memory.enabled !== false) return [];
  return ['highRegretExamples', 'counterExamples']
    .filter((key) => typeof memory[key] === 'number' && memory[key] > 0)
    .map((key) => ({
      path: ['memory', key],
      why: 'the memory is off (memory.enabled: false), so there are no examples; leave it out',
    }));
}

function allPaths(tree: Tree | object, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isTree(value) ? [`${prefix}${key}`, ...allPaths(value, `${prefix}${key}.`)] : [`${prefix}${key}`],
  );
}

function at(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (node, part) => (typeof node === 'object' && node !== null ? (node as Tree)[part] : undefined),
    tree,
  );
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value)).slice(0, 80);
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
