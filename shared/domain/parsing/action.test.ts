import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actionKind, actionOf } from './action.ts';
import { growthOf } from './testing.ts';

const call = (body: string) => `<tool_call>${body}</tool_call>`;

describe('actionOf', () => {
  const text = '<think>\\boxed{0}</think>First \\boxed{1}. No: \\boxed{\\frac{1}{2}}.';

  it('gives a game the whole message, or one of its boxed answers, and never what was thought', () => {
    expect(actionOf(text, 'games', 'message')).toBe('First \\boxed{1}. No: \\boxed{\\frac{1}{2}}.');
    expect(actionOf(text, 'games', 'last-boxed')).toBe('\\boxed{\\frac{1}{2}}');
    expect(actionOf(text, 'games', 'first-boxed')).toBe('\\boxed{1}');
  });

  it('gives a message without a closed box whole', () => {
    expect(actionOf('so \\boxed{4', 'games', 'last-boxed')).toBe('so \\boxed{4');
  });

  it('leaves messages of tool use alone', () => {
    expect(actionOf(`${call('{}')} \\boxed{1}`, 'tool-use', 'last-boxed')).toBe(`${call('{}')} \\boxed{1}`);
  });
});

describe('actionKind', () => {
  it.each([
    ['\\boxed{4}', 'boxed'],
    ['\\boxed{1} \\boxed{2}', 'several-boxed'],
    ['\\boxed{ }', 'empty-boxed'],
    ['so \\boxed{4', 'unclosed-boxed'],
    ['four', 'plain'],
    ['', 'plain'],
    ['<think>so \\boxed{4}', 'thought'],
    ['\\boxed{a \\boxed{b}}', 'boxed'],
  ])('of %j in a game is %s', (text, kind) => {
    expect(actionKind(text, 'games')).toBe(kind);
  });

  it.each([
    [call('{"name": "a"}'), 'calls'],
    ['<answer>done</answer>', 'answer'],
    [`${call('{"name": "a"}')}<answer>done</answer>`, 'calls-and-answer'],
    [call('{"name": }'), 'call-json'],
    [call('[1]'), 'call-not-an-object'],
    [call('{"name": "a"}') + call('{"name": 3}'), 'call-no-name'],
    [call('{"name": "a", "arguments": 3}'), 'call-arguments'],
    ['<tool_call>{"name": "a"}', 'call-unclosed'],
    [call('{"name": "a"}').repeat(500), 'call-too-many'],
    [call('{“name”: “a”}'), 'call-json'],
    ['I did it.', 'plain'],
  ])('of %j in tool use is %s', (text, kind) => {
    expect(actionKind(text, 'tool-use')).toBe(kind);
  });
});

describe('any text', () => {
  const piece = fc.constantFrom(
    ...['\\boxed{', '{', '}', '<think>', '</think>', '<tool_call>', '</tool_call>', '<answer>', '</answer>'],
    ...['{"name": "a"}', '"', '\\', ' ', 'x', '\u0000', '\ud800'],
  );

  it('is read without an exception', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        for (const setting of ['games', 'tool-use'] as const) {
          expect(actionKind(text, setting)).toMatch(/^[a-z-]+$/);
          expect(typeof actionOf(text, setting, 'last-boxed')).toBe('string');
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['\\boxed{'],
    ['\\boxed{a}'],
    ['{'],
    ['<think>'],
    ['</thinking>'],
    ['<tool_call>"'],
    ['<tool_call>{"name": "a"}</tool_call>'],
    ['</tool_call>'],
    ['<answer>'],
    ['</answer>'],
  ])('takes linear time on many %s', (repeated) => {
    const read = (text: string) => {
      actionKind(text, 'games');
      actionKind(text, 'tool-use');
      actionOf(text, 'games', 'last-boxed');
    };
    expect(growthOf(read, repeated)).toBeLessThan(1);
  });
});
