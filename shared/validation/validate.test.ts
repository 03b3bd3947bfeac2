import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verdictSchema } from '../contracts/verdict.ts';
import { CONTROLS, programOf, ROWS } from '../sandbox/catalogue/index.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { validateEnvironment } from './index.ts';

const HONEST = programOf({ code: 'pass' });
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ slots: 8, limits: { stepMs: 1000, loadMs: 4000 } });
});
afterAll(() => sandbox.close());

const judge = (
  source: string,
  options: { hint?: string; probeSeed?: number; maxTurns?: number; ownTurns?: boolean; in?: Sandbox } = {},
) =>
  validateEnvironment(
    {
      source,
      hint: options.hint ?? '',
      setting: 'games',
      limits: { maxTurns: options.maxTurns ?? 6, ownTurns: options.ownTurns ?? false },
      modules: [],
      winThreshold: 0.5,
      probeSeed: options.probeSeed ?? 11,
    },
    options.in ?? sandbox,
  );

describe('an honest program', () => {
  it('passes every layer, and its card fits the contract', async () => {
    const { verdict, infraLost } = await judge(HONEST);
    expect(verdict).toMatchObject({ accepted: true, reason: null, detail: '', title: 'RowEnv', warnings: [] });
    expect(verdict.layers.every(({ passed }) => passed)).toBe(true);
    expect(verdictSchema.parse(verdict)).toEqual(verdict);
    expect(infraLost).toBe(false);
  });

  it('has the same card on another sandbox, and the same decision under other probes', async () => {
    const other = await startSandbox({ slots: 2, limits: { stepMs: 1000, loadMs: 4000 } });
    const [a, b, c] = [await judge(HONEST), await judge(HONEST, { in: other }), await judge(HONEST, { probeSeed: 12 })];
    await other.close();
    expect(JSON.stringify(a.verdict)).toBe(JSON.stringify(b.verdict));
    expect(c.verdict.accepted).toBe(true);
    expect(c.verdict.layers[2]?.evidence.seed).not.toBe(a.verdict.layers[2]?.evidence.seed);
  });

  it.each(CONTROLS.slice(0, 5).map((control) => [control.id, control.title, control] as const))(
    '%s %s',
    async (_id, _title, control) => {
      expect((await judge(programOf(control))).verdict).toMatchObject({ accepted: true, reason: null });
    },
  );
});

describe('a program that is no use', () => {
  const worth = ROWS.filter(({ id }) => /^(F|G|D10|E04|E14)/.test(id));
  it.each(worth.map((row) => [row.id, row.title, row] as const))('%s %s', async (_id, _title, row) => {
    const { verdict } = await judge(programOf(row));
    expect(row.reject).toContain(verdict.reason);
    expect(verdict.layers.at(-1)).toMatchObject({ passed: false, reason: verdict.reason });
    expect(verdict.detail).not.toBe('');
  });
});

describe('hints', () => {
  const fixedWord = HONEST.replace('return str(self.n)', 'return "kite" + str(self.n)').replace(
    '"\\\\boxed{%d}"',
    '"\\\\boxed{kite%d}"',
  );

  it('may not name the answer', async () => {
    const constant = fixedWord.replace(
      'self.n = self.rng.randint(1, 1000)',
      'self.n = 5; self.k = self.rng.randint(1, 1000)',
    );
    const source = constant.replace('{self.n % 7}', '{self.k}');
    expect((await judge(source, { hint: 'the answer is kite5' })).verdict.reason).toBe('leak.answer_in_hint');
    expect((await judge(source, { hint: 'think of the wind' })).verdict.accepted).toBe(true);
  });
});

describe('notes', () => {
  it('a missing solution, prose and control tokens are noted and not refused', async () => {
    const without = HONEST.replace('def solution', 'def _solution');
    expect((await judge(without)).verdict).toMatchObject({ accepted: true, warnings: ['solution.missing'] });
    const prose = HONEST.replace(
      'return str(self.n)',
      'return f"Try all numbers from one to one thousand until {self.n} is right, which it will be."',
    );
    expect((await judge(prose)).verdict).toMatchObject({ accepted: true, warnings: ['solution.not_executable'] });
    const tokens = HONEST.replace('"wrong"', '"<|im_end|>"');
    expect((await judge(tokens)).verdict).toMatchObject({ accepted: true, warnings: ['obs.control_tokens'] });
  });

  it('a game with the same first text for every seed is legal when its solution varies', async () => {
    const silent = HONEST.replace('; its remainder by 7 is {self.n % 7}', '');
    expect((await judge(silent)).verdict).toMatchObject({ accepted: true });
  });
});
