import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from './canonical-json.ts';
import { parsePoolLine, poolSkill, poolSkillKey, settingOf } from './pools.ts';

const CODE = 'class GameEnv:\n    pass\n';
const line = (row: unknown) => parsePoolLine(JSON.stringify(row), 7);

describe('parsePoolLine', () => {
  it('reads a row of the released pools', () => {
    const row = {
      ...{ game_id: 'g-1', file_name: 'game_1.py', original_file_name: 'x.py', skill: 'causal_inference' },
      ...{ sha256: sha256Hex(CODE), line_count: 2, byte_count: CODE.length, code: CODE },
    };
    expect(line(row)).toEqual({
      line: 7,
      ok: true,
      program: {
        id: 'g-1',
        source: CODE,
        skill: 'Causal Inference',
        hint: '',
        metadata: {
          ...{ file_name: 'game_1.py', original_file_name: 'x.py', sha256: sha256Hex(CODE) },
          ...{ line_count: 2, byte_count: CODE.length },
        },
      },
    });
  });

  it('reads a row with a hint and little else', () => {
    expect(line({ source: CODE, hint: 'Count.' })).toMatchObject({
      ok: true,
      program: { id: '7', skill: '', hint: 'Count.', metadata: {} },
    });
  });

  it.each([
    ['{"code": "x"', 'not JSON'],
    ['[1]', 'not an object'],
    ['null', 'not an object'],
    ['{"code": 3}', 'neither "code" nor "source" is a text'],
    [JSON.stringify({ code: CODE, sha256: '0'.repeat(64) }), 'its program is not the one that sha256 names'],
  ])('says what is wrong with %j', (raw, problem) => {
    expect(parsePoolLine(raw, 3)).toEqual({ line: 3, ok: false, problem });
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (raw) => typeof parsePoolLine(raw, 1).ok === 'boolean'));
  });
});

describe('poolSkill', () => {
  it.each([
    ['mathematical_reasoning', 'Mathematical Reasoning'],
    ['api_orchestration', 'API Orchestration'],
    ['Multi-Step Workflows', 'Multi-Step Workflows'],
    ['tower_building', 'Tower Building'],
  ])('of %j is %j', (name, skill) => {
    expect(poolSkill(name)).toBe(skill);
    expect(poolSkill(poolSkillKey(skill))).toBe(skill);
  });
});

describe('settingOf', () => {
  it('knows programs of tool use by their base class', () => {
    expect(settingOf('class ShopEnv(ToolUseBaseEnv): pass')).toBe('tool-use');
    expect(settingOf(CODE)).toBe('games');
  });
});
