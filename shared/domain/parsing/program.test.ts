import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractProgram } from './program.ts';
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
    ['lines of code', 'class A\n'],
  ])('takes linear time on many %s', (_, piece) => {
    const time = (size: number) => {
      const text = piece.repeat(Math.ceil(size / piece.length));
      const start = process.cpuUsage().user;
      extractProgram(text);
      return process.cpuUsage().user - start;
    };
    time(100_000);
    // Quadratic time would be a factor of 64; the bound leaves room for a busy machine.
    expect(time(800_000)).toBeLessThan(20 * time(100_000) + 200_000);
  });
});
