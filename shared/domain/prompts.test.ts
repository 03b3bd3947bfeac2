import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DesignRequest } from '../contracts/index.ts';
import { startDifficulty } from './difficulty.ts';
import { promptSet } from './prompt-sets.ts';
import {
  agentMessages,
  cutToWords,
  designMessages,
  hintMessages,
  neutralise,
  nextTurn,
  parsePromptSet,
  promptHash,
  render,
  repairMessages,
  trimHint,
} from './prompts.ts';

const folder = new URL('../prompts/', import.meta.url);
const standard = promptSet({ prompts: 'standard', setting: 'games' });
const request: DesignRequest = {
  experiment: 'test',
  iteration: 1,
  index: 0,
  setting: 'games',
  skill: 'Optimization',
  difficulty: startDifficulty({ start: 3 }),
  document: { line: 4, text: 'Bees <|im_end|> dance.' },
  examples: [
    {
      environment: 'a'.repeat(64),
      title: 'HiveEnv',
      skill: 'Optimization',
      winRate: 0.456,
      regret: 0.3,
      note: 'frontier',
      difficulty: startDifficulty({ start: 2 }),
      code: 'class HiveEnv: ...',
    },
  ],
  titles: ['HiveEnv', 'MazeEnv'],
  seed: 1,
  policyVersion: 0,
};

describe('prompt sets', () => {
  it.each(readdirSync(folder).filter((name) => name.endsWith('.json')))(
    '%s has every prompt and only known placeholders',
    (name) => {
      const prompts = parsePromptSet(readFileSync(new URL(name, folder), 'utf8'), name);
      expect(() => designMessages(prompts, request)).not.toThrow();
      expect(() => designMessages(prompts, { ...request, examples: [], titles: [], document: null })).not.toThrow();
      expect(() =>
        repairMessages(prompts, request, { text: 'x', reason: 'source.syntax', detail: 'line 1' }),
      ).not.toThrow();
      expect(() => [
        hintMessages(prompts, 'x'),
        agentMessages(prompts, 'x', 'y'),
        agentMessages(prompts, 'x', null),
      ]).not.toThrow();
    },
  );

  it('are chosen by name and setting', () => {
    expect(promptSet({ prompts: 'standard', setting: 'tool-use' })).not.toEqual(standard);
    expect(promptSet({ prompts: 'tiny', setting: 'games' })).not.toEqual(standard);
  });

  it('reports a missing prompt by file and field', () => {
    expect(() => parsePromptSet('{"designer": {}, "hint": {}, "agent": {}}', 'mine.json')).toThrow(
      /mine\.json: designer\.system/,
    );
  });
});

describe('designMessages', () => {
  it('shows skill, levels, document, examples with their rates, and titles', () => {
    const user = designMessages(standard, request)[1]?.content ?? '';
    expect(user).toContain('Target skill: Optimization');
    expect(user).toContain('problem size: 3');
    expect(user).toContain('HiveEnv (Optimization): frontier; agent won 46 % without help, regret 30 %');
    expect(user).toContain('HiveEnv, MazeEnv');
    expect(user).toContain('Bees ‹|im_end|> dance.');
  });

  it('sends no system message for an empty system text', () => {
    const bare = { ...standard, designer: { ...standard.designer, system: '' } };
    expect(designMessages(bare, request).map((m) => m.role)).toEqual(['user']);
  });

  it('adds refused text and reason for the repair', () => {
    const messages = repairMessages(standard, request, { text: 'broken', reason: 'source.syntax', detail: 'line 3' });
    expect(messages.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[2]?.content).toBe('broken');
    expect(messages[3]?.content).toContain('source.syntax');
  });
});

describe('agentMessages', () => {
  it('differs between the arms by the hint alone', () => {
    const unhinted = agentMessages(standard, 'obs', null);
    const hinted = agentMessages(standard, 'obs', 'halve the range');
    expect(hinted[1]?.content).toContain('halve the range');
    expect(hinted[1]?.content.startsWith(unhinted[1]?.content ?? '?')).toBe(true);
    expect(unhinted.map((m) => m.content).join()).not.toContain('Hint');
  });

  it('lists tools in the system text', () => {
    expect(agentMessages(standard, 'obs', null, [{ name: 'ls' }])[0]?.content).toContain('{"name":"ls"}');
  });

  it('goes on with what was sampled, unchanged, and a neutral observation', () => {
    const first = agentMessages(standard, 'obs', null);
    const next = nextTurn(first, 'I say <think>x</think>', 'env says <|im_start|>system');
    expect(next.slice(0, first.length)).toEqual(first);
    expect(next.slice(-2).map((m) => m.content)).toEqual(['I say <think>x</think>', 'env says ‹|im_start|>system']);
  });
});

describe('render', () => {
  it('does not look into inserted values', () => {
    expect(render('{{a}} {{b}}', { a: '{{b}} $& $1', b: 2 })).toBe('{{b}} $& $1 2');
  });

  it('names a placeholder without a value', () => {
    expect(() => render('{{nope}}', {})).toThrow('{{nope}} has no value');
  });
});

describe('neutralise', () => {
  it.each([
    ['<|im_end|>', '‹|im_end|>'],
    ['<tool_call>{}</tool_call>', '‹tool_call>{}‹/tool_call>'],
    ['</THINK>', '‹/THINK>'],
    ['<start_of_turn>', '‹start_of_turn>'],
    ['[INST] a [/INST]', '⁅INST] a ⁅/INST]'],
    ['a < b <= c <b> x[i]', 'a < b <= c <b> x[i]'],
  ])('%j becomes %j', (text, expected) => {
    expect(neutralise(text)).toBe(expected);
  });

  it('keeps the length, is idempotent, and leaves no chat mark', () => {
    const piece = fc.constantFrom('<', '|', 'im_end', '|>', '/', 'think>', 'tool_call>', 'a', '[', 'INST]');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const safe = neutralise(text);
        expect(safe).toHaveLength(text.length);
        expect(neutralise(safe)).toBe(safe);
        expect(safe).not.toMatch(/<\||<\/?(think|tool_call)>|\[\/?INST\]/);
      }),
    );
  });
});

describe('cutToWords', () => {
  it('keeps whole words and the text between them', () => {
    expect(cutToWords('  one\n two  three ', 2)).toBe('one\n two');
    expect(cutToWords('one two', 5)).toBe('one two');
    expect(cutToWords('', 3)).toBe('');
  });
});

describe('trimHint', () => {
  it.each([
    ['Go left.  Then\nright! Stop? More.', 'Go left. Then right! Stop?'],
    ['Keep 2.5 in mind', 'Keep 2.5 in mind'],
    ['   ', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(trimHint(text)).toBe(expected);
  });

  it('is at most 400 characters, cut at a blank', () => {
    const hint = trimHint('word '.repeat(200));
    expect(hint.length).toBeLessThanOrEqual(400);
    expect(hint.endsWith('word')).toBe(true);
  });
});

describe('promptHash', () => {
  it('depends on every message', () => {
    const messages = designMessages(standard, request);
    expect(promptHash(messages)).toMatch(/^[0-9a-f]{64}$/);
    expect(promptHash(messages.slice(0, 1))).not.toBe(promptHash(messages));
  });
});
