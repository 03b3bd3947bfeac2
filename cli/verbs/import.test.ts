import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EnvironmentView } from '../../dashboard/data.ts';
import { sha256Hex } from '../../shared/domain/canonical-json.ts';
import { parsePoolLine } from '../../shared/domain/pools.ts';
import { programOf } from '../../shared/sandbox/catalogue/index.ts';
import { openExperiment, readEnvironments } from '../experiment-data.ts';
import { poolRow } from '../pool-row.ts';
import { createProgram } from '../program.ts';

const GAME = programOf({ code: 'pass' });
const OTHER = GAME.replace('randint(1, 1000)', 'randint(1, 900)').replace('below 1000', 'below 900, please');
const row = (id: string, code: string, change: object = {}) =>
  JSON.stringify({
    game_id: id,
    skill: 'causal_inference',
    sha256: sha256Hex(code),
    code,
    source_run: 'r7',
    ...change,
  });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spade-import-'));
  writeFileSync(join(folder, 'imp.yaml'), 'experiment: imp\nprofile: tiny\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  process.exitCode = undefined;
});

/** Runs the verb; what it prints for each program, and its exit status. */
async function run(...args: string[]): Promise<{ lines: Record<string, unknown>[]; status: unknown }> {
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  const home = ['--home', join(folder, 'home'), '--json'];
  await createProgram().parseAsync([
    'node',
    'spade',
    'import',
    ...args,
    '--experiment',
    join(folder, 'imp.yaml'),
    ...home,
  ]);
  log.mockRestore();
  return { lines: printed.map((line) => JSON.parse(line)), status: process.exitCode };
}

const summary = (lines: Record<string, unknown>[]) =>
  lines.map(({ line, outcome, reason, detail }) => [line, outcome, outcome === 'corrupt' ? detail : reason]);

describe('spade import', () => {
  it('takes the good programs of a pool in with their provenance, counts the others with their lines, and takes nothing twice', async () => {
    const pool = join(folder, 'pool.jsonl');
    const lines = [
      row('a', GAME),
      '{"code": ',
      row('b', GAME.replaceAll('self.n', 'self.secret')),
      '',
      row('c', 'import os\n'),
      row('d', OTHER, { sha256: 'ff' }),
      row('e', 'class ShopEnv(ToolUseBaseEnv): pass'),
      row('f', OTHER, { skill: undefined }),
    ];
    writeFileSync(pool, `${lines.join('\n')}\n`);
    const first = await run(pool, '--jobs', '2');
    expect(summary(first.lines)).toEqual([
      [1, 'accepted', null],
      [2, 'corrupt', 'not JSON'],
      [3, 'refused', 'duplicate'],
      [5, 'refused', 'import.forbidden'],
      [6, 'corrupt', 'its program is not the one that sha256 names'],
      [7, 'refused', 'setting'],
      [8, 'refused', 'skill'],
    ]);
    expect(first.status).toBe(0);
    const [environment, ...rest] = readEnvironments(openExperiment(join(folder, 'home'), 'imp'));
    expect(rest).toEqual([]);
    expect(environment).toMatchObject({
      source: GAME,
      card: {
        skill: 'Causal Inference',
        provenance: { iteration: 0, pool: 'pool.jsonl', line: 1, id: 'a', metadata: { source_run: 'r7' } },
        verdict: { accepted: true },
      },
    });

    // A crash while the journal was written: the cut line is taken off, and the program is found in the store.
    const imports = join(folder, 'home', 'imp', 'imports');
    const journal = join(imports, readdirSync(imports)[0] as string);
    writeFileSync(journal, `${readFileSync(journal, 'utf8').split('\n').slice(1).join('\n')}{"line": 1, "id`);
    const again = await run(pool, '--skill', 'Causal Inference');
    expect(summary(again.lines)).toEqual([
      [1, 'known', null],
      [2, 'corrupt', 'not JSON'],
      [3, 'refused', 'duplicate'],
      [5, 'refused', 'import.forbidden'],
      [6, 'corrupt', 'its program is not the one that sha256 names'],
      [7, 'refused', 'setting'],
      [8, 'accepted', null],
    ]);

    // What is given out as a pool can be taken in again.
    const [view] = readEnvironments(openExperiment(join(folder, 'home'), 'imp'));
    expect(parsePoolLine(poolRow(view as EnvironmentView), 1)).toMatchObject({
      ok: true,
      program: { id: view?.card.hash, source: view?.source, skill: 'Causal Inference' },
    });

    // The same programs in another pool, and in a folder with a manifest, are known.
    appendFileSync(pool, '\n');
    expect((await run(pool)).lines[0]).toMatchObject({ outcome: 'known' });
    const environments = join(folder, 'run', 'environments', 'r7');
    mkdirSync(environments, { recursive: true });
    writeFileSync(join(environments, 'game.py'), GAME);
    const manifest = [{ file_name: 'game.py', source_run: 'r7', skill: 'causal_inference', step: 12 }];
    writeFileSync(join(folder, 'run', 'manifest.json'), JSON.stringify(manifest));
    expect(summary((await run(join(folder, 'run'))).lines)).toEqual([[1, 'known', null]]);
  }, 120_000);

  it('says that nothing went in', async () => {
    const pool = join(folder, 'bad.jsonl');
    writeFileSync(pool, `${row('c', 'import os\n')}\n`);
    expect((await run(pool)).status).toBe(1);
  }, 60_000);

  it('refuses what is no pool', async () => {
    await expect(run(join(folder, 'imp.yaml'))).rejects.toThrow(
      'expected a program (.py), a folder of them, or a pool',
    );
    await expect(run(join(folder, 'none.jsonl'))).rejects.toThrow('there is no such file or folder');
  });
});
