import type { ReasonCode } from '../../contracts/reason-codes.ts';
import type { Row } from './row.ts';

const os = 'os = sys.modules["os"]';
const forge = (json: string) => `${os}\nb = ${json}\nos.write(3, len(b).to_bytes(4, "big") + b)`;
const PROTOCOL = ['protocol.unsolicited', 'protocol.malformed'] as const;
const row = (
  id: string,
  title: string,
  code: string,
  reject: readonly ReasonCode[],
  err: Row['err'] = reject,
): Row => ({
  id,
  title,
  code,
  reject,
  err,
});
const LATE = ['timeout.step'] as const;

/** A forged frame, after which the real reply never comes. */
const instead = (json: string) => `${forge(json)}\nwhile True: pass`;
const MALFORMED = ['protocol.malformed'] as const;

/** D: the harness, the protocol, the neighbours. */
export const HARNESS: readonly Row[] = [
  row('D01', 'a forged reply beside the real one', forge('b\'{"i":2,"v":["won",1.0,true,false,0]}\''), PROTOCOL, [
    'protocol.unsolicited',
  ]),
  row(
    'D01b',
    'its own reply and the next one in one write',
    `${os}\nframes = (b'{"i":2,"v":["won",1.0,true,false,0]}', b'{"i":3,"v":null}')\nos.write(3, b"".join(len(b).to_bytes(4, "big") + b for b in frames))\nwhile True: pass`,
    PROTOCOL,
    ['protocol.unsolicited'],
  ),
  row('D02a', 'forged reply to another request', instead('b\'{"i":99,"v":["won",1.0,true,false,0]}\''), MALFORMED),
  row('D02b', 'huge length', `${os}\nos.write(3, b"\\xff\\xff\\xff\\xff")`, ['limit.frame']),
  row('D02c', 'truncated header', `${os}\nos.write(3, b"\\x00\\x00")`, [...PROTOCOL, 'limit.frame', 'timeout.step']),
  row('D02d', 'not JSON', instead('b"hello"'), MALFORMED),
  row('D02e', 'NaN token', instead('b\'{"i":2,"v":["x",NaN,true,false,0]}\''), MALFORMED),
  row('D02f', '100,000 nested arrays', instead('b\'{"i":2,"v":\' + b"[" * 100000 + b"]" * 100000 + b"}"'), MALFORMED),
  row('D02g', '__proto__ key', instead('b\'{"i":2,"v":1,"__proto__":{"ok":true}}\''), MALFORMED),
  row('D02h', 'unknown reason', instead('b\'{"i":2,"e":["infra.killed","not me"]}\''), MALFORMED),
  row('D02i', 'invalid UTF-8', instead('b\'{"i":2,"v":"\' + b"\\xff\\xfe" + b\'"}\''), MALFORMED),
  row(
    'D03a',
    'close every descriptor and stay',
    `${os}\nfor fd in range(8):\n    try: os.close(fd)\n    except OSError: pass\nwhile True: pass`,
    ['protocol.closed'],
  ),
  row('D03b', 'close the connection and reply', `${os}\nos.close(3)`, ['protocol.closed', 'crash.exit']),
  row('D04', 'half a frame, then nothing', `${os}\nos.write(3, b"\\x00\\x00\\x00\\x40{")\nwhile True: pass`, LATE),
  {
    ...row(
      'D05',
      'a reply of its own, then requests of 1 MB are never read',
      `if self.t == 1:\n${forge('b\'{"i":2,"v":["go on",0.0,false,false,0]}\'').replace(/^/gm, '    ')}\nwhile True: pass`,
      [...PROTOCOL, ...LATE],
      LATE,
    ),
    actionPadding: 1_000_000,
  },
  row('D06a', 'os._exit(0) in step', `${os}\nos._exit(0)`, ['crash.exit']),
  row('D06b', 'sys.exit in step', 'sys.exit(0)', ['crash.exit']),
  row('D06c', 'abort', `${os}\nos.abort()`, ['crash.signal']),
  row('D06d', 'SIGSEGV', 'sys.modules["ctypes"].string_at(0)', ['crash.signal']),
  row('D08a', 'reward check rewritten', 'sys.modules["spade_sandbox.harness"].checked_reward = lambda *a: "99"', [
    'reward.type',
  ]),
  row(
    'D08b',
    'observation check rewritten',
    'sys.modules["spade_sandbox.harness"].checked_observation = lambda *a, **k: 7',
    ['obs.type'],
  ),
  row('D08c', 'flag check rewritten', 'sys.modules["spade_sandbox.harness"].checked_flag = lambda *a: 1', [
    'flag.type',
  ]),
  row(
    'D09',
    'everything that the harness calls is replaced',
    'for name in ("json", "time", "random", "math", "re", "types"):\n    for key in list(vars(sys.modules[name])):\n        if not key.startswith("__"): setattr(sys.modules[name], key, None)\nsys.modules["builtins"].len = lambda x: 0',
    ['env.exception', 'robust.action_crash', 'crash.exit', 'protocol.malformed', 'limit.frame'],
    ['played', 'env.exception', 'crash.exit', 'protocol.malformed', 'limit.frame'],
  ),
  {
    id: 'D11',
    title: 'a forged reply to every descriptor but its own',
    code: `${os}\nb = b'{"i":2,"v":["won",1.0,true,false,0]}'\nfor fd in list(range(3)) + list(range(4, 1024)):\n    try: os.write(fd, len(b).to_bytes(4, "big") + b)\n    except OSError: continue\n    assert fd < 3`,
    reject: ['accepted'],
    err: ['played'],
  },
  row('D12a', 'recursion without limit', 'sys.setrecursionlimit(10**9)\ndef f(): return f()\nf()', [
    'crash.signal',
    'env.exception',
    'limit.memory',
    'robust.action_crash',
    'timeout.step',
  ]),
  row('D12b', 'deep repr', 'x = []\nfor _ in range(10**5): x = [x]\nrepr(x)', [
    'env.exception',
    'crash.signal',
    'robust.action_crash',
  ]),
  row(
    'D13a',
    'exception with a looping __str__',
    'class Bad(Exception):\n    def __str__(self):\n        while True: pass\n    __repr__ = __str__\nraise Bad()',
    ['env.exception', 'robust.action_crash'],
  ),
  row(
    'D13b',
    'exception with a message of 20 MB and control characters',
    'raise ValueError("\\x1b[31m<b>\\n" * 2 * 10**6)',
    ['env.exception', 'robust.action_crash'],
  ),
  row(
    'D14a',
    'exception group',
    'raise BaseExceptionGroup("x", [ValueError(1)]) if sys.version_info >= (3, 11) else ValueError',
    ['env.exception', 'robust.action_crash'],
  ),
  row('D14b', 'own BaseException', 'class Own(BaseException): pass\nraise Own()', [
    'env.exception',
    'robust.action_crash',
  ]),
  row('D14c', 'StopIteration', 'raise StopIteration', ['env.exception', 'robust.action_crash']),
  row('D14d', 'cyclic context', 'a, b = ValueError(), ValueError()\na.__context__, b.__context__ = b, a\nraise a', [
    'env.exception',
    'robust.action_crash',
  ]),
];
