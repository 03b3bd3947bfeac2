import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allBoxed, boxed } from './boxed.ts';
import { stripThinking } from './thinking.ts';
import { MAXIMUM_TOOL_CALLS, parseAnswer, parseToolCalls } from './tool-calls.ts';

describe('stripThinking', () => {
  it.each([
    ['<think>2+2</think>\\boxed{4}', '\\boxed{4}'],
    ['so much\n</think>\n\nanswer', 'answer'],
    ['a<think>b</think>c<think>d</think>e', 'ace'],
    ['<think>cut in the middle', ''],
    ['<think>a<think>b</think>c', 'c'],
    ['  no tags', '  no tags'],
    ['<thinking>x</thinking>y', 'y'],
  ])('%j becomes %j', (text, expected) => {
    expect(stripThinking(text)).toBe(expected);
  });

  it('leaves no tag and is idempotent', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('<think>', '</think>', 'a', ' ')), (pieces) => {
        const once = stripThinking(pieces.join(''));
        expect(once).not.toMatch(/<\/?think>/);
        expect(stripThinking(once).trim()).toBe(once.trim());
      }),
    );
  });
});

describe('boxed', () => {
  it.each([
    ['no box', null],
    ['\\boxed{}', ''],
    ['\\boxed{1} then \\boxed{2}', '2'],
    ['\\boxed{\\frac{1}{2}}', '\\frac{1}{2}'],
    ['\\boxed{a \\boxed{b} c}', 'a \\boxed{b} c'],
    ['\\boxed{1} and \\boxed{2', '1'],
    ['\\boxed{ \\boxed{4}', '4'],
    ['}}} \\boxed{x}', 'x'],
  ])('of %j is %j', (text, expected) => {
    expect(boxed(text)).toBe(expected);
  });

  it('takes the first answer as the reference does, when asked', () => {
    expect(boxed('\\boxed{1} then \\boxed{2}', 'first')).toBe('1');
  });

  it('never throws, and finds what is balanced', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('\\boxed{', '{', '}', 'a', '\\')), (pieces) => {
        for (const content of allBoxed(pieces.join(''))) {
          expect(content.split('{').length).toBe(content.split('}').length);
        }
      }),
    );
  });
});

describe('parseToolCalls', () => {
  const call = (body: string) => `<tool_call>${body}</tool_call>`;
  const only = (text: string) => parseToolCalls(text)[0];

  it('reads name and arguments, in order', () => {
    const text = `First ${call('{"name": "a", "arguments": {"x": 1}}')} then ${call('\n{"name": "b"}\n')}`;
    expect(parseToolCalls(text)).toEqual([
      { ok: true, name: 'a', arguments: { x: 1 } },
      { ok: true, name: 'b', arguments: {} },
    ]);
  });

  it('is not ended by a closing tag inside a string', () => {
    expect(only(call('{"name": "say", "arguments": {"text": "a</tool_call>b"}}'))).toEqual({
      ok: true,
      name: 'say',
      arguments: { text: 'a</tool_call>b' },
    });
  });

  it('decodes arguments that were written as a text', () => {
    expect(only(call('{"name": "a", "arguments": "{\\"x\\": 2}"}'))).toEqual({
      ok: true,
      name: 'a',
      arguments: { x: 2 },
    });
  });

  it.each([
    ['{"name": "a", }', 'json'],
    ['{“name”: “a”}', 'json'],
    ['["a"]', 'not-an-object'],
    ['3', 'not-an-object'],
    ['null', 'not-an-object'],
    ['{"arguments": {}}', 'no-name'],
    ['{"name": "a", "arguments": [1]}', 'arguments'],
  ])('says what is wrong with %j', (body, problem) => {
    expect(only(call(body))).toMatchObject({ ok: false, problem });
  });

  it('reports a call that was cut, and does not lose the calls after unbalanced quotes', () => {
    expect(only('<tool_call>{"name": "a"')).toMatchObject({ ok: false, problem: 'unclosed' });
    const calls = parseToolCalls(call('{"name: "a"}') + call('{"name": "b"}'));
    expect(calls.map((c) => c.ok)).toEqual([false, true]);
  });

  it('looks at a bounded number of calls', () => {
    const calls = parseToolCalls(call('{"name": "a"}').repeat(500));
    expect(calls).toHaveLength(MAXIMUM_TOOL_CALLS + 1);
    expect(calls.at(-1)).toMatchObject({ ok: false, problem: 'too-many' });
  });

  it('never throws', () => {
    const piece = fc.constantFrom('<tool_call>', '</tool_call>', '{', '}', '"', '\\', ':', 'name', '1', '[', ']', ' ');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => Array.isArray(parseToolCalls(pieces.join('')))),
      { numRuns: 500 },
    );
  });
});

describe('parseAnswer', () => {
  it.each([
    ['<answer> done </answer>', 'done'],
    ['<answer>a</answer><answer>b</answer>', 'b'],
    ['<answer>open', null],
    ['</answer>', null],
  ])('of %j is %j', (text, expected) => {
    expect(parseAnswer(text)).toBe(expected);
  });
});
