import type { ReasonCode } from '../../contracts/reason-codes.ts';
import type { Row } from './row.ts';

const HONEST_BODY = `
    def reset(self, seed=None):
        return "x" + str(seed), {}
    def step(self, action):
        return "y", 0.0, True, False, {}
`;
const env = (head: string, body = HONEST_BODY): string => `${head}\nclass RowEnv:${body}`;
const COMPLEX = ['source.too_complex', 'source.syntax'] as const;
const COMPLEX_RUN = [
  'source.syntax',
  'source.too_complex',
  'crash.signal',
  'limit.memory',
  'import.exception',
  'timeout.wall',
  'timeout.step',
  'env.exception',
] as const;

/** B: texts that break parsers, and classes that are not what they seem. */
export const SOURCES: readonly Row[] = [
  {
    id: 'B01a',
    title: '300 nested parentheses',
    code: env(`x = ${'('.repeat(300)}1${')'.repeat(300)}`),
    reject: COMPLEX,
    err: COMPLEX_RUN,
  },
  {
    id: 'B01b',
    title: '60,000 unary minuses',
    code: env(`x = ${'-'.repeat(60_000)}1`),
    reject: COMPLEX,
    err: COMPLEX_RUN,
  },
  {
    id: 'B01c',
    title: '9,000 chained calls',
    code: env(`x = print${'()'.repeat(9000)}`),
    reject: COMPLEX,
    err: COMPLEX_RUN,
  },
  {
    id: 'B01d',
    title: '4,000 elif branches',
    code: env(`if 0: pass\n${'elif 0: pass\n'.repeat(4000)}`),
    reject: COMPLEX,
    err: [...COMPLEX_RUN, 'played'],
  },
  {
    id: 'B02a',
    title: '120 indentation levels',
    code: env(Array.from({ length: 120 }, (_, i) => `${' '.repeat(i)}if 1:`).join('\n')),
    reject: ['source.syntax'],
    err: ['source.syntax'],
  },
  {
    id: 'B02b',
    title: 'literal of 5,000 digits',
    code: env(`x = ${'9'.repeat(5000)}`),
    reject: ['source.syntax'],
    err: ['source.syntax'],
  },
  {
    id: 'B03a',
    title: '64 KiB and one byte',
    code: env(`#${'x'.repeat(65_536)}`),
    reject: ['source.too_large'],
    err: ['source.too_large'],
  },
  {
    id: 'B03b',
    title: 'only comments',
    code: '# nothing',
    whole: true,
    reject: ['source.empty'],
    err: ['class.missing'],
  },
  { id: 'B04a', title: 'NUL', code: env('x = "\0"'), reject: ['source.encoding'], err: ['source.encoding'] },
  {
    id: 'B04b',
    title: 'byte-order mark',
    code: `\uFEFF${env('')}`,
    reject: ['source.encoding'],
    err: ['source.encoding'],
  },
  {
    id: 'B04c',
    title: 'lone surrogate',
    code: env('x = "\ud800"'),
    reject: ['source.encoding'],
    err: ['source.encoding'],
  },
  {
    id: 'B05',
    title: 'utf-7 cookie hides a fork',
    code: env('# -*- coding: utf-7 -*-\n#+AAo-import os+AAo-os.fork()'),
    reject: ['accepted'],
    err: ['played'],
  },
  {
    id: 'B06',
    title: 'homoglyph import',
    code: env('import ｏｓ\nｏｓ.fork()'),
    reject: ['import.forbidden'],
    err: ['policy.syscall'],
  },
  {
    id: 'B08a',
    title: 'constant folding bomb',
    code: env('x = "a" * 10**9'),
    reject: ['limit.memory', 'timeout.wall'],
    err: ['limit.memory', 'timeout.wall'],
  },
  {
    id: 'B08b',
    title: 'tower of powers',
    code: env('x = 2 ** (2 ** 40)'),
    reject: ['limit.memory', 'timeout.wall', 'import.exception'],
    err: ['limit.memory', 'timeout.wall', 'import.exception'],
  },
  {
    id: 'B09a',
    title: 'no class',
    code: '# class RowEnv\nclass RowEnvironment: pass\nclass FooEnv: pass',
    reject: ['class.missing'],
    err: ['class.missing'],
  },
  {
    id: 'B09b',
    title: 'two classes',
    code: `${env('')}\nclass OtherEnv:${HONEST_BODY}`,
    reject: ['class.ambiguous'],
    err: ['class.ambiguous'],
  },
  {
    id: 'B09c',
    title: 'instance, not class',
    code: `class _Thing:${HONEST_BODY}\nclass FakeEnv: pass\nFakeEnv = _Thing()`,
    reject: ['class.missing'],
    err: ['class.missing'],
  },
  {
    id: 'B10a',
    title: 'constructor needs arguments',
    code: env('', `\n    def __init__(self, size): pass${HONEST_BODY}`),
    reject: ['class.construct'],
    err: ['class.construct'],
  },
  {
    id: 'B10b',
    title: 'constructor raises',
    code: env('', `\n    def __init__(self): raise ValueError("no")${HONEST_BODY}`),
    reject: ['class.construct'],
    err: ['class.construct'],
  },
  {
    id: 'B10c',
    title: '__new__ returns another type',
    code: env('', `\n    def __new__(cls): return 7${HONEST_BODY}`),
    reject: ['class.construct'],
    err: ['class.construct'],
  },
  {
    id: 'B11a',
    title: 'async step',
    code: env('', HONEST_BODY.replace('def step', 'async def step')),
    reject: ['contract.signature'],
    err: ['contract.signature'],
  },
  {
    id: 'B11b',
    title: 'generator step',
    code: env('', HONEST_BODY.replace('return "y", 0.0, True, False, {}', 'yield 1')),
    reject: ['contract.signature'],
    err: ['contract.signature'],
  },
  {
    id: 'B11c',
    title: 'reset takes no seed',
    code: env('', HONEST_BODY.replace('seed=None', '').replace('str(seed)', '""')),
    reject: ['contract.signature'],
    err: ['contract.signature'],
  },
  {
    id: 'B11d',
    title: 'static step',
    code: env('', HONEST_BODY.replace('def step(self,', '@staticmethod\n    def step(')),
    reject: ['contract.signature'],
    err: ['contract.signature'],
  },
  ...[
    ['sys.exit(0)', 'import.exit'],
    ['raise SystemExit', 'import.exit'],
    ['raise KeyboardInterrupt', 'import.exit'],
    ['raise GeneratorExit', 'import.exit'],
    ['sys.modules["os"]._exit(0)', 'crash.exit'],
    ['import no_such_module', 'import.missing'],
    ['1 / 0', 'import.exception'],
  ].map(
    ([code, reason], index): Row => ({
      id: `B12${'abcdefg'[index]}`,
      title: `${code} at import`,
      place: 'module',
      code: code as string,
      reject: [reason as ReasonCode, 'import.forbidden'],
      err: [reason as ReasonCode],
      noTrigger: true,
    }),
  ),
];
