import { sha256Hex } from './canonical-json.ts';
import { GAME_SKILLS, TOOL_SKILLS } from './skills.ts';

/** An environment program as a pool offers it. */
export interface PoolProgram {
  /** Its name in the pool: `game_id`, `id` or `file_name`, else the line number. */
  readonly id: string;
  readonly source: string;
  /** As this project writes it; an empty text when the pool does not say. */
  readonly skill: string;
  readonly hint: string;
  /** Whatever else the pool says of it that is a short text or a number, such as `source_run` and `step`. */
  readonly metadata: Readonly<Record<string, string | number>>;
}

/** One line of a pool: a program, or why there is none. */
export type PoolLine =
  | { readonly line: number; readonly ok: true; readonly program: PoolProgram }
  | { readonly line: number; readonly ok: false; readonly problem: string };

/**
 * Reads one line of a pool of environments (M31): a JSON object with the program under `code` or `source`. Both shapes of the released
 * pools are such, and so are benchmark pools. A line whose program is not the one that its `sha256` names is corrupt.
 * Never throws.
 * @param line 1-based
 */
export function parsePoolLine(raw: string, line: number): PoolLine {
  const corrupt = (problem: string): PoolLine => ({ line, ok: false, problem });
  let row: unknown;
  try {
    row = JSON.parse(raw);
  } catch {
    return corrupt('not JSON');
  }
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return corrupt('not an object');
  const fields = row as Record<string, unknown>;
  const source = fields.code ?? fields.source;
  if (typeof source !== 'string') return corrupt('neither "code" nor "source" is a text');
  if (typeof fields.sha256 === 'string' && fields.sha256.toLowerCase() !== sha256Hex(source))
    return corrupt('its program is not the one that sha256 names');
  return { line, ok: true, program: { ...describePoolRow(fields, String(line)), source } };
}

/**
 * What a row or a manifest entry says of its program, without the program.
 * @param name stands for an id that is not given
 */
export function describePoolRow(fields: Readonly<Record<string, unknown>>, name: string): Omit<PoolProgram, 'source'> {
  const id = [fields.game_id, fields.id, fields.file_name].find(isLabel);
  const known = Object.entries(fields).filter(([key]) => !NOT_METADATA.has(key));
  return {
    id: id === undefined ? name : String(id),
    skill: typeof fields.skill === 'string' ? poolSkill(fields.skill) : '',
    hint: typeof fields.hint === 'string' ? fields.hint : '',
    metadata: Object.fromEntries(
      known.filter((entry): entry is [string, string | number] => isLabel(entry[1])).slice(0, MAX_METADATA),
    ),
  };
}

const NOT_METADATA: ReadonlySet<string> = new Set(['code', 'source', 'hint', 'skill', 'game_id', 'id']);
const MAX_LABEL = 200;
const MAX_METADATA = 32;

function isLabel(value: unknown): value is string | number {
  return (
    (typeof value === 'string' && value.length <= MAX_LABEL) || (typeof value === 'number' && Number.isFinite(value))
  );
}

const SKILL_BY_KEY = new Map([...GAME_SKILLS, ...TOOL_SKILLS].map((skill) => [poolSkillKey(skill), skill as string]));

/** A skill as pools write it. @example poolSkillKey('Multi-Step Workflows') // 'multi_step_workflows' */
export function poolSkillKey(skill: string): string {
  return skill.toLowerCase().replace(/[^a-z0-9]+/g, '_');
}

/**
 * A skill as this project writes it. Pools write snake case; a skill that is not one of M16 gets capitals.
 * @example poolSkill('multi_step_workflows') // 'Multi-Step Workflows'
 */
export function poolSkill(name: string): string {
  const known = SKILL_BY_KEY.get(poolSkillKey(name.trim()));
  if (known !== undefined) return known;
  const words = name.trim().split(/[\s_]+/);
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(' ');
}

const TOOL_USE_BASE = /\bToolUseBaseEnv\b/;

/** The setting that a program is written for: programs of tool use name their base class. */
export function settingOf(source: string): 'games' | 'tool-use' {
  return TOOL_USE_BASE.test(source) ? 'tool-use' : 'games';
}
