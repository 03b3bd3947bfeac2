import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settingOf } from '../domain/pools.ts';
import { type Sandbox, startSandbox } from '../sandbox/index.ts';
import { validateEnvironment } from './index.ts';

const folder = new URL('../../examples/environments/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ slots: 4 });
});
afterAll(() => sandbox.close());

const judge = async (source: string) => {
  const { verdict } = await validateEnvironment(
    {
      ...{ source, hint: '', setting: settingOf(source), modules: [] },
      ...{ limits: { maxTurns: 25, ownTurns: true }, winThreshold: 0.5, probeSeed: 3 },
    },
    sandbox,
  );
  return verdict;
};

describe('programs written for the SPADE reference', () => {
  it.each(readdirSync(folder))('%s loads unchanged and its solution wins on every seed', async (name) => {
    const verdict = await judge(read(name));
    expect(verdict).toMatchObject({ accepted: true, reason: null });
    expect(verdict.layers.find(({ layer }) => layer === 'solution')?.evidence.numbers).toEqual({
      seeds: 4,
      solutionWins: 4,
    });
  });

  it('keep their own number of turns', async () => {
    const program = await sandbox.open(read('ferry_timetable_env.py'), { seed: 1, maxTurns: 25, ownTurns: true });
    await program.load();
    await program.reset(1);
    const ends: boolean[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const step = await program.step('\\boxed{0}');
      ends.push(step.ok && step.value.truncated);
    }
    program.close();
    expect(ends).toEqual([false, false, false, true]);
  });

  it('show their tools as OpenAI function schemas', async () => {
    const program = await sandbox.open(read('parcel_desk_env.py'), { seed: 1 });
    const loaded = await program.load();
    program.close();
    const names = loaded.ok && loaded.value.tools.map((tool) => (tool as { function: { name: string } }).function.name);
    expect(names).toEqual(['find', 'move', 'hand_over', 'weigh']);
  });
});

describe('a program of tool use that checks nothing', () => {
  it('is won by the claim that all is done, and refused', async () => {
    const source = read('parcel_desk_env.py').replace(' and self._current_msg >= len(self._user_messages)', '');
    expect(await judge(source)).toMatchObject({ reason: 'degenerate.always_win', detail: 'the policy "claim" wins' });
  });
});
