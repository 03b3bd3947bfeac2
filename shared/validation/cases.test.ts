import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReasonCode } from '../contracts/reason-codes.ts';
import { programOf } from '../sandbox/catalogue/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { validateEnvironment } from './index.ts';

/*
 * Symptoms that broke neighbouring projects, as small programs: seeds, state that bleeds, the contract, trivial wins, leaks, hostile code, sizes
 * and hangs. Each names the decision that a program must get here.
 */

const HONEST = programOf({ code: 'pass' });
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ slots: 8, limits: { stepMs: 500, loadMs: 2000, episodeMs: 5000 } });
});
afterAll(() => sandbox.close());

async function judge(source: string, options: { hint?: string; setting?: 'games' | 'tool-use' } = {}) {
  const { verdict } = await validateEnvironment(
    {
      ...{ source, hint: options.hint ?? '', setting: options.setting ?? 'games', modules: [] },
      ...{ limits: { maxTurns: 6, ownTurns: false }, winThreshold: 0.5, probeSeed: 21 },
    },
    sandbox,
  );
  return verdict;
}
const reasonOf = async (source: string) => {
  const { reason, warnings } = await judge(source);
  return reason ?? (warnings.length > 0 ? `accepted, ${warnings.join(' ')}` : 'accepted');
};

/** One episode of a program that nobody validated: how it ended. */
async function played(source: string, seed = 5): Promise<ReasonCode | 'played'> {
  const program = await sandbox.open(source, { seed, maxTurns: 6 });
  try {
    for (const ask of [() => program.load(), () => program.reset(seed)]) {
      const reply = await ask();
      if (!reply.ok) return reply.reason;
    }
    for (let turn = 0; turn < 6; turn++) {
      const step = await program.step('\\boxed{1}');
      if (!step.ok) return step.reason;
      if (step.value.terminated || step.value.truncated) break;
    }
    return 'played';
  } finally {
    program.close();
  }
}

const replaced = (from: string, to: string) => {
  if (!HONEST.includes(from)) throw new Error(`${from} is not in the honest program`);
  return HONEST.replace(from, to);
};
const draw = 'self.n = self.rng.randint(1, 1000)';
const inReset = (code: string) => programOf({ code, place: 'reset' });
const inStep = (code: string) => programOf({ code, place: 'step' });

describe('T1 seeds', () => {
  it.each([
    ['draws from randomness that nobody seeds', replaced(draw, 'self.n = random.SystemRandom().randint(1, 1000)')],
    ['draws from the global generator without seeding it', replaced(draw, 'self.n = random.randint(1, 1000)')],
  ])('a program that %s is refused', async (_, source) => {
    expect(['nondeterministic', 'state.reset_leak']).toContain(await reasonOf(source));
  });

  it('a program that ignores its seed is refused', async () => {
    expect(await reasonOf(replaced(draw, 'self.n = 437'))).toBe('seed.ignored');
  });

  it('nobody ever resets without a seed', async () => {
    expect(await reasonOf(inReset('if seed is None: raise ValueError("no seed")'))).toBe('accepted');
  });

  it('a program that seeds the global generator at import is accepted, and its neighbours draw what they drew before', async () => {
    const drawing = programOf({ code: 'return str(random.random()), 0.0, False, self.t >= 3, {}' });
    const draws = async () => {
      const program = await sandbox.open(drawing, { seed: 9 });
      await program.load();
      await program.reset(9);
      const step = await program.step('x');
      program.close();
      return step.ok ? step.value.observation : step.reason;
    };
    const before = await draws();
    expect(await reasonOf(programOf({ code: 'random.seed(0)', place: 'module' }))).toBe('accepted');
    expect(await draws()).toBe(before);
  });
});

describe('T2 state that bleeds', () => {
  it('does not reach the next episode, whether it is kept in a class, a default argument or a file', async () => {
    const listing = () => readdirSync(tmpdir()).filter((name) => name.startsWith('spade-bleed'));
    const bleeding = inReset(
      [
        'RowEnv.seen = getattr(RowEnv, "seen", []) + [seed]',
        'try:',
        '    sys.modules["io"].open("/tmp/spade-bleed", "a").write("x")',
        '    kept = "a file"',
        'except OSError:',
        '    kept = "no file"',
        'return f"{len(RowEnv.seen)} seen, {kept}", {}',
      ].join('\n'),
    );
    const first = async (seed: number) => {
      const program = await sandbox.open(bleeding, { seed });
      await program.load();
      const start = await program.reset(seed);
      program.close();
      return start.ok ? start.value.observation : start.reason;
    };
    expect([await first(1), await first(1), await first(2)]).toEqual(Array(3).fill('1 seen, no file'));
    expect(listing()).toEqual([]);
  });
});

describe('T3 contract', () => {
  const step = (result: string) => inStep(`return ${result}`);
  const paid = (reward: string) => step(`"x", ${reward}, True, False, {}`);
  const told = (info: string) => step(`"x", 0.0, True, False, ${info}`);
  it.each<[string, string, string]>([
    ['4-tuple', step('"x", 0.0, True, {}'), 'contract.step_shape'],
    ['6-tuple', step('"x", 0.0, True, False, {}, 1'), 'contract.step_shape'],
    ['list of 5', step('["x", 0.0, True, False, {}]'), 'contract.step_shape'],
    ['None for an observation', step('None, 0.0, True, False, {}'), 'obs.type'],
    ['bytes for an observation', step('b"x", 0.0, True, False, {}'), 'obs.type'],
    ['a dict for an observation', step('{}, 0.0, True, False, {}'), 'obs.type'],
    ['an empty first observation', inReset('return "", {}'), 'obs.empty'],
    ['int for done', step('"x", 0.0, 1, False, {}'), 'flag.type'],
    ['0 for truncated', step('"x", 0.0, True, 0, {}'), 'flag.type'],
    ['bool reward', paid('True'), 'reward.type'],
    ['NaN', paid('float("nan")'), 'reward.not_finite'],
    ['infinity', paid('float("inf")'), 'reward.not_finite'],
    ['−infinity', paid('-float("inf")'), 'reward.not_finite'],
    ['1e308', paid('1e308'), 'reward.range'],
    ['a text for a reward', paid('"1.0"'), 'reward.type'],
    ['None for a reward', paid('None'), 'reward.type'],
    ['numpy where it is not offered', programOf({ code: 'import numpy', place: 'module' }), 'import.forbidden'],
    ['a list for info', told('[]'), 'info.type'],
    ['None for info', told('None'), 'info.type'],
    ['a reset that gives a number', inReset('return 3'), 'obs.type'],
    ['a reset that gives three parts', inReset('return "x", {}, 1'), 'contract.reset_shape'],
    ['no seed', HONEST.replace('def reset(self, seed=None)', 'def reset(self)'), 'contract.signature'],
    ['a required argument', HONEST.replace('max_turns=6', 'size'), 'class.construct'],
    ['a generator for step', inStep('yield 1'), 'contract.signature'],
    ['async step', HONEST.replace('def step', 'async def step'), 'contract.signature'],
  ])('%s', async (_, source, expected) => {
    expect(await reasonOf(source)).toBe(expected);
  });

  it.each<[string, string, string]>([
    [
      'info of texts, sets, nested objects, NaN and a megabyte',
      HONEST.replace(
        'self.t >= self.max_turns, {}',
        'self.t >= self.max_turns, {"a": "x", "b": {1}, "c": {"d": [1]}, "e": float("nan"), "f": "x" * 10**6}',
      ),
      'accepted, info.dropped',
    ],
    ['a reset that gives a text alone', HONEST.replace('{self.n % 7}", {}', '{self.n % 7}"'), 'accepted'],
    [
      'a constructor without max_turns',
      HONEST.replace('(self, max_turns=6)', '(self)').replace('= max_turns', '= 6'),
      'accepted',
    ],
  ])('%s is legal', async (_, source, expected) => {
    expect(await reasonOf(source)).toBe(expected);
  });
});

describe('T4 trivial wins', () => {
  const won = 'won = action == "\\\\boxed{%d}" % self.n';
  it.each<[string, string, string]>([
    ['+1 for any text', replaced(won, 'won = True'), 'degenerate.always_win'],
    [
      'the empty answer is part of the truth',
      replaced(won, 'won = action.replace("\\\\boxed{", "").rstrip("}") in str(self.n)'),
      'degenerate.always_win',
    ],
    [
      'the answer stands in the first observation',
      replaced('Guess a number below 1000;', 'The answer is {self.n};'),
      'leak.answer_in_obs',
    ],
    ['cannot be won', replaced(won, 'won = False'), 'degenerate.unwinnable'],
  ])('%s', async (_, source, expected) => {
    expect(await reasonOf(source)).toBe(expected);
  });

  it('small pay for doing nothing is no win: only the reward of the last step of an ended episode counts', async () => {
    expect(await reasonOf(replaced('float(won), won', 'float(won) if won else 0.05, won'))).toBe('accepted');
  });

  it('pay for doing nothing that outgrows the solution is noted', async () => {
    expect(await reasonOf(replaced('float(won), won', 'float(won) if won else 0.4, won'))).toBe(
      'accepted, reward.farmable',
    );
  });
});

describe('T5 leaks', () => {
  it('a hint that names the answer is refused, in one turn and in several', async () => {
    const constant = replaced(draw, 'self.n = 731; self.k = self.rng.randint(1, 1000)').replace(
      '{self.n % 7}',
      '{self.k}',
    );
    expect((await judge(constant, { hint: 'Try 731.' })).reason).toBe('leak.answer_in_hint');
    expect((await judge(constant, { hint: 'Halve the range.' })).reason).toBeNull();
    const walk = `import random
class WalkEnv:
    def __init__(self, max_turns=6): self.max_turns = max_turns
    def reset(self, seed=None):
        self.left = ["north", "east", "east"]
        self.t = 0
        return f"Leave the maze of hall {random.Random(seed).randint(1, 99)}. Moves: north, east, south, west.", {}
    def solution(self): return ["north", "east", "east"]
    def step(self, action):
        self.t += 1
        if self.left and self.left[0] in action: self.left.pop(0)
        else: self.left = ["north", "east", "east"]
        return f"{len(self.left)} to go", float(not self.left), not self.left, self.t >= self.max_turns, {}
`;
    expect((await judge(walk, { hint: 'Go north, then east, then east.' })).reason).toBe('leak.answer_in_hint');
    expect((await judge(walk, { hint: 'Keep to the right wall and never go back north.' })).reason).toBeNull();
  });

  it('a hint that names the answer of tool use is refused', async () => {
    const shop = `import random
class ShopEnv(ToolUseBaseEnv):
    def reset(self, seed=None):
        self.turn_count, self._call_history = 0, []
        rng = random.Random(seed)
        self._state = {"stock": rng.randint(100, 999)}
        self._tools = {"count": {"description": "Count the stock.", "parameters": {"type": "object", "properties": {}}}}
        self._expected_answer = "blue crate"
        return f"Which crate holds the goods of order {rng.randint(100, 999)}?", {}
    def tool_count(self): return "the blue crate" if self._state["stock"] else ""
    def solution(self): return ['<tool_call>{"name": "count", "arguments": {}}</tool_call>', "<answer>blue crate</answer>"]
`;
    const leaking = await judge(shop, { setting: 'tool-use', hint: 'It is the blue crate.' });
    expect(leaking.reason).toBe('leak.answer_in_hint');
    expect((await judge(shop, { setting: 'tool-use', hint: 'Count first.' })).reason).toBeNull();
  });

  it('the text of an exception is in no observation', async () => {
    const program = await sandbox.open(inStep('raise ValueError(f"the number was {self.n}")'), { seed: 5 });
    await program.load();
    await program.reset(5);
    const step = await program.step('\\boxed{1}');
    program.close();
    expect(step).toMatchObject({ ok: false, outcome: 'env_fault', reason: 'env.exception' });
    expect(step).not.toHaveProperty('value');
  });
});

describe('T7 hostile code', () => {
  const os = 'os = sys.modules["os"]\n';
  it.each<[string, string, readonly string[]]>([
    ['sys.exit(0)', 'sys.exit(0)', ['crash.exit']],
    ['os._exit(0)', `${os}os._exit(0)`, ['crash.exit']],
    ['KeyboardInterrupt', 'raise KeyboardInterrupt', ['env.exception']],
    ['GeneratorExit', 'raise GeneratorExit', ['env.exception']],
    ['a BaseException of its own', 'class Own(BaseException): pass\nraise Own', ['env.exception']],
    ['children', `${os}os.fork()`, ['policy.syscall']],
    ['a thread', 'import _thread\n_thread.start_new_thread(print, ())', ['policy.syscall', 'env.exception']],
    ['4 GB', 'x = bytearray(4 * 2**30)', ['limit.memory']],
    [
      '5,000 files',
      `${os}for i in range(5000): os.open("/dev/null", 0)`,
      ['policy.file', 'policy.syscall', 'env.exception'],
    ],
    [
      'a gigabyte on disk',
      `${os}fd = os.open("/tmp/spade-big", 65)\nos.write(fd, b"x" * 10**9)`,
      ['policy.file', 'policy.syscall'],
    ],
    ['the network', 'import _socket\n_socket.socket()', ['policy.syscall', 'env.exception']],
    ['the environment of its host', 'sys.modules["io"].open("/proc/self/environ").read()', ['policy.file']],
    ['its own file', `${os}os.unlink("/tmp/spade-own")`, ['policy.syscall', 'policy.file']],
    ['input()', 'input()', ['env.exception']],
  ])('%s ends the episode alone', async (_, code, expected) => {
    expect(expected).toContain(await played(inStep(code)));
    expect(await played(HONEST)).toBe('played');
  });

  it.each([
    [
      'variables of the environment',
      `${os}return str([k for k in os.environ if "AWS" in k]), 0.0, False, self.t > 3, {}`,
    ],
    ['json that it has patched', 'sys.modules["json"].dumps = lambda *a, **k: "{}"'],
    ['its standard output closed', 'sys.stdout.close()'],
    ['a line that looks like a reply', 'print(\'{"i": 2, "v": ["won", 1.0, true, false, 0]}\')'],
  ])('%s changes nothing', async (_, code) => {
    expect(await played(inStep(code))).toBe('played');
    expect(await played(HONEST)).toBe('played');
  });
});

describe('T9 sizes', () => {
  it.each<[string, string, ReasonCode]>([
    ['a first observation of 5 MB', inReset('return "x" * 5_000_000, {}'), 'obs.too_large'],
    ['characters of several bytes past the limit', inReset('return "é" * 40_000, {}'), 'obs.too_large'],
    ['half a character', inReset('return "\\ud83c", {}'), 'obs.encoding'],
  ])('%s', async (_, source, expected) => {
    expect(await reasonOf(source)).toBe(expected);
  });
});

describe('T11 hangs', () => {
  const forever = 'while True: pass';
  it.each<[string, string, readonly string[]]>([
    ['import', programOf({ code: forever, place: 'module' }), ['timeout.wall']],
    ['__init__', programOf({ code: forever, place: 'init' }), ['timeout.wall']],
    ['reset', inReset(forever), ['timeout.step']],
    ['step', inStep(forever), ['timeout.step']],
    [
      '__del__',
      HONEST.replace('def solution', 'def __del__(self):\n        while True: pass\n\n    def solution'),
      ['played', 'timeout.step'],
    ],
    ['a regular expression', inStep('import re\nre.match("(a+)+$", "a" * 60 + "b")'), ['timeout.step']],
    ['sleep', inStep('import time\ntime.sleep(10**6)'), ['timeout.step', 'policy.syscall']],
    ['a power that holds the interpreter', inStep('pow(7, 10**9)'), ['timeout.step', 'limit.memory']],
  ])('in %s ends with its deadline', async (_, source, expected) => {
    expect(expected).toContain(await played(source));
  });
});
