import type { Control } from './row.ts';

/** X: honest programs that a hasty wall would break. */
export const CONTROLS: readonly Control[] = [
  {
    id: 'X01',
    title: 'traceback.format_exc',
    code: 'import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    text = traceback.format_exc()',
  },
  { id: 'X02', title: 'warnings.warn', code: 'import warnings\nwarnings.warn("careful")' },
  {
    id: 'X03',
    title: 'strptime',
    code: 'import datetime, time\ndatetime.datetime.strptime("2026-01-02", "%Y-%m-%d")\ntime.strptime("12:30", "%H:%M")',
  },
  { id: 'X04', title: 'codecs', code: '"é".encode("cp1252")\n"bücher.example".encode("idna")\n"x".encode("utf-16")' },
  { id: 'X05', title: 'recursion 200 deep', code: 'def f(n): return 0 if n == 0 else 1 + f(n - 1)\nf(200)' },
  {
    id: 'X06',
    title: '64 MB of working memory',
    place: 'module',
    code: 'x = bytearray(64 * 2**20)\nx[::4096] = bytes(len(x[::4096]))',
  },
  {
    id: 'X07',
    title: 'honest search, slow',
    place: 'reset',
    code: 'import time\nend = time.perf_counter() + 0.05\nwhile time.perf_counter() < end: pass',
  },
  {
    id: 'X08',
    title: 'dataclasses, enum, typing, namedtuple',
    place: 'module',
    code: 'import dataclasses, enum, typing, collections\nclass Suit(enum.Enum):\n    HEARTS = 1\n@dataclasses.dataclass\nclass Card:\n    suit: Suit\n    value: typing.Optional[int] = None\nP = collections.namedtuple("P", "x y")\nCard(Suit.HEARTS, 3)',
  },
  {
    id: 'X09',
    title: 'decimal, fractions, statistics',
    code: 'import decimal, fractions, statistics\nstatistics.mean([decimal.Decimal(1), 2])\nfractions.Fraction(1, 3) + 1',
  },
  {
    id: 'X10',
    title: 'escapes, emoji, right-to-left text',
    place: 'reset',
    code: 'return "\\N{GREEK SMALL LETTER ALPHA} 🎲 שלום", {}',
  },
  { id: 'X11', title: 'big integers', code: 'str(3 ** 5000)' },
  {
    id: 'X13',
    title: 'a bad action turned into nothing',
    code: 'try:\n    int(action)\nexcept ValueError:\n    if self.t > 3: return "not a number", 0.0, False, True, {}',
  },
  {
    id: 'X14',
    title: 'large regular expression',
    code: 'import re\nre.compile("|".join("word%d" % i for i in range(2000)))',
  },
  {
    id: 'X16',
    title: 'hashlib, base64, secrets that are not used for play',
    code: 'import hashlib, base64\nhashlib.sha256(b"x").hexdigest()\nbase64.b64encode(b"x")',
  },
  { id: 'X17', title: 'print and logging', code: 'import logging\nprint("turn", self.t)\nlogging.warning("turn")' },
  { id: 'X18', title: 'constructor resets without a seed', place: 'init', code: 'self.reset()' },
  { id: 'X19', title: 'global random seeded in reset', place: 'reset', code: 'random.seed(seed)' },
  {
    id: 'X20',
    title: 'deepcopy, sorting, heaps',
    code: 'import copy, heapq\nh = [3, 1, 2]\nheapq.heapify(copy.deepcopy(h))',
  },
];
