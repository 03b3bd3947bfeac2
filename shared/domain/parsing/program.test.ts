import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractProgram } from './program.ts';
import { growthOf } from './testing.ts';
import { stripThinking } from './thinking.ts';

const CODE = 'import random\n\n\nclass TowerEnv:\n    def reset(self, seed):\n        return "go", {}';
const fence = (info: string, body: string, close = '```') => `\`\`\`${info}\n${body}\n${close}`;

describe('extractProgram', () => {
  it.each(['python', 'py', 'Python', 'python3', '', 'PYTHON title="a.py"'])('takes a fence marked %j', (info) => {
    expect(extractProgram(`Here it is:\n${fence(info, CODE)}\nEnjoy.`)).toEqual({ source: CODE, rule: 'fence' });
  });

  it('reads CRLF as LF', () => {
    expect(extractProgram(fence('python', CODE).replaceAll('\n', '\r\n'))).toEqual({ source: CODE, rule: 'fence' });
  });

  it('takes the last complete fence that holds an environment class', () => {
    const text = [
      fence('python', 'class DraftEnv:\n    pass'),
      fence('python', CODE),
      fence('python', 'print("how to run it")'),
      fence('json', '{"a": 1}'),
    ].join('\n\n');
    expect(extractProgram(text)).toEqual({ source: CODE, rule: 'fence' });
  });

  it('prefers a complete fence to a later one that was cut', () => {
    const text = `${fence('python', CODE)}\nBetter:\n\`\`\`python\nclass NewEnv:\n    def re`;
    expect(extractProgram(text)).toEqual({ source: CODE, rule: 'fence' });
  });

  it('is not cut short by a fence inside a docstring', () => {
    const body = 'class DocEnv:\n    """Play it:\n\n```\nenv.step("x")\n```\n    """\n    x = 1';
    expect(extractProgram(`${fence('python', body)}\nDone.`)).toEqual({ source: body, rule: 'fence' });
  });

  it('still ends a program whose triple quote never closes', () => {
    const body = 'class BadEnv:\n    """never closed\n    x = 1';
    expect(extractProgram(`${fence('python', body)}\nSorry about that.`)).toEqual({ source: body, rule: 'fence' });
  });

  it('is not misled by quotes in comments and one-line strings', () => {
    const body = `class QuoteEnv:\n    # it's """ here\n    a = "'''"\n    b = 'don\\'t """'`;
    expect(extractProgram(`${fence('python', body)}\ntext`)).toEqual({ source: body, rule: 'fence' });
  });

  it('takes what there is of a program cut in the middle of a line', () => {
    expect(extractProgram(`\`\`\`python\n${CODE}\n    def st`)).toEqual({
      source: `${CODE}\n    def st`,
      rule: 'unclosed',
    });
  });

  it('takes a bare program, without the sentence before it', () => {
    expect(extractProgram(CODE)).toEqual({ source: CODE, rule: 'bare' });
    expect(extractProgram(`Sure, here is the game.\n${CODE}`)).toEqual({ source: CODE, rule: 'bare' });
  });

  it('does not look into what was only thought', () => {
    const thought = `<think>\n${fence('python', 'class WrongEnv:\n    pass')}\n</think>\n`;
    expect(extractProgram(thought + fence('python', CODE)).source).toBe(CODE);
    expect(extractProgram(`<think>\n${fence('python', CODE)}`)).toEqual({ source: '', rule: 'none' });
  });

  it('falls back to Python without an environment class, so that validation can say what is missing', () => {
    expect(extractProgram(fence('py', 'class Game:\n    pass'))).toEqual({
      source: 'class Game:\n    pass',
      rule: 'other-fence',
    });
  });

  it.each(['', 'I cannot do that.', '```\n```', fence('json', '{}')])('finds nothing in %j', (text) => {
    expect(extractProgram(text)).toEqual({ source: '', rule: 'none' });
  });

  it('takes tilde fences and longer fences around shorter ones', () => {
    expect(extractProgram(`~~~python\n${CODE}\n~~~`)).toEqual({ source: CODE, rule: 'fence' });
    expect(extractProgram(`\`\`\`\`python\n${CODE}\n\`\`\`\``)).toEqual({ source: CODE, rule: 'fence' });
  });

  it('takes the indentation of a fence in a list away', () => {
    const listed = `1. The game:\n\n${fence('python', CODE).replace(/^/gm, '     ')}\n2. Enjoy.`;
    expect(extractProgram(listed)).toEqual({ source: CODE, rule: 'fence' });
  });

  it('takes a fence that follows a sentence on its line', () => {
    expect(extractProgram(`Here is the game: ${fence('python', CODE)}`)).toEqual({ source: CODE, rule: 'fence' });
    expect(extractProgram('Use ```x``` or ``` for code.')).toEqual({ source: '', rule: 'none' });
  });

  it('knows thinking tags in capitals', () => {
    expect(extractProgram(`<THINK>${fence('py', 'class NoEnv: pass')}</Think>${fence('py', CODE)}`).source).toBe(CODE);
  });

  it('never throws, whatever the model wrote', () => {
    const piece = fc.constantFrom(
      '```',
      '````',
      '~~~',
      'python',
      '\n',
      '"""',
      "'''",
      'class AEnv:',
      '<think>',
      '</think>',
      '\\',
      '#',
      ' ',
      '"',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        const { source, rule } = extractProgram(text);
        expect(stripThinking(text).includes(source)).toBe(true);
        expect(source === '').toBe(rule === 'none');
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['fences with strings that never end', "```py\n\\'''\n```\n"],
    ['opening tags', '<think>'],
    ['closing tags', '</think>'],
    ['backticks', '`'],
    ['fences after text', 'a ```py'],
    ['indented fences', '      ```py\n'],
    ['blanks', ' '],
    ['lines of code', 'class A\n'],
  ])('takes linear time on many %s', (_, piece) => {
    expect(growthOf(extractProgram, piece)).toBeLessThan(1);
  });
});
