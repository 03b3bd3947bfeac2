import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReasonCode } from '../contracts/reason-codes.ts';
import { programOf } from '../sandbox/catalogue/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import {
  CASE_LIMITS,
  CONTRACT,
  decisionOn,
  endOf,
  HANGS,
  HARMLESS,
  HONEST,
  HOSTILE,
  inReset,
  inStep,
} from './broken-programs.ts';
import { validateEnvironment } from './index.ts';

/*
 * Symptoms that broke neighbouring projects, as small programs: seeds, state that bleeds, the contract, trivial wins, leaks, hostile code, sizes
 * and hangs. Each names the decision that a program must get here.
 */

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ slots: 8, limits: CASE_LIMITS });
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
const reasonOf = (source: string) => decisionOn(source, sandbox);

const replaced = (from: string, to: string) => {
  if (!HONEST.includes(from)) throw new Error(`${from} is not in the honest program`);
  return HONEST.replace(from, to);
};
const draw = 'self.n = self.rng.randint(1, 1000)';

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
  it.each(CONTRACT)('%s', async (_, source, expected) => {
    expect(expected).toContain(await decisionOn(source, sandbox));
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
  it.each(HOSTILE)('%s ends the episode alone', async (_, code, expected) => {
    expect(expected).toContain(await endOf(inStep(code), sandbox));
    expect(await endOf(HONEST, sandbox)).toBe('played');
  });

  it.each(HARMLESS)('%s changes nothing', async (_, code) => {
    expect(await endOf(inStep(code), sandbox)).toBe('played');
    expect(await endOf(HONEST, sandbox)).toBe('played');
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
  it.each(HANGS)('in %s ends with its deadline', async (_, source, expected) => {
    expect(expected).toContain(await endOf(source, sandbox));
  });
});
