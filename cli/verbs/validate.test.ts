import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { programOf } from '../../shared/sandbox/catalogue/index.ts';
import { createProgram } from '../program.ts';

const GAME = programOf({ code: 'pass' });
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spade-validate-'));
  mkdirSync(join(folder, 'games'));
  writeFileSync(join(folder, 'games', 'a.py'), GAME);
  writeFileSync(join(folder, 'games', 'b.py'), 'import os\n');
  writeFileSync(join(folder, 'pool.jsonl'), `${JSON.stringify({ code: GAME })}\n{\n`);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  process.exitCode = undefined;
});

/** Runs the verb; what it prints on both streams, and its exit status. */
async function run(...args: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((text: string) => void out.push(text)),
    vi.spyOn(console, 'error').mockImplementation((text: string) => void err.push(text)),
  ];
  const paths = args.map((arg) => (/^[a-z]+(?:\.\w+|\/.*)?$/.test(arg) ? join(folder, arg) : arg));
  await createProgram().parseAsync(['node', 'spade', 'validate', ...paths]);
  for (const spy of spies) spy.mockRestore();
  return { out, err, status: process.exitCode };
}

describe('spade validate', () => {
  it('takes files, folders and pools, and says of each program what became of it, in order', async () => {
    const { out, err, status } = await run('games', 'pool.jsonl', '--json', '--jobs', '2');
    const lines = out.map((line) => JSON.parse(line));
    expect(lines.map(({ file, verdict, reason }) => [file.slice(folder.length + 1), verdict, reason])).toEqual([
      ['games/a.py', 'accepted', null],
      ['games/b.py', 'refused', 'import.forbidden'],
      ['pool.jsonl:1', 'accepted', null],
      ['pool.jsonl:2', 'corrupt', null],
    ]);
    expect(Object.keys(lines[0])).toEqual(
      expect.arrayContaining(['layers', 'evidence', 'ms', 'isolation', 'warnings']),
    );
    expect(lines[0].layers).toHaveLength(8);
    for (const { layer, ms, passed } of lines[0].layers)
      expect([typeof layer, ms >= 0, passed]).toEqual(['string', true, true]);
    expect(lines[0].ms).toBeGreaterThan(0);
    expect(err).toEqual(['2 accepted, 1 refused (1 import.forbidden), 1 corrupt']);
    expect(status).toBe(1);
  });

  it('prints one line a program for people, and exits with 0 when all are accepted', async () => {
    const { out, status } = await run('games/a.py');
    expect(out).toEqual([expect.stringMatching(/^accepted .*a\.py {2}RowEnv {2}\d+ ms$/)]);
    expect(status).toBe(0);
  });

  it('prints the card layer by layer', async () => {
    const { out } = await run('games/b.py', '--card');
    expect(out.join('\n')).toMatch(/✗ static +\d+ ms {2}import\.forbidden[\s\S]*isolation/);
  });

  it('judges by an experiment file, and lets options stand over it', async () => {
    writeFileSync(join(folder, 'exp.yaml'), 'profile: tiny\nlimits: {sourceBytes: 300}\n');
    const { out } = await run('games/a.py', '--experiment', join(folder, 'exp.yaml'), '--json');
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ verdict: 'refused', reason: 'source.too_large' });
  });

  it('gives the same verdict whatever is judged beside it', async () => {
    const verdictOf = (lines: string[]) => JSON.stringify({ ...JSON.parse(lines[0] ?? ''), ms: 0, layers: [] });
    expect(verdictOf((await run('games/a.py', '--json')).out)).toBe(
      verdictOf((await run('games/a.py', 'games/b.py', '--json', '--jobs', '2')).out),
    );
  });

  it('refuses what is not there', async () => {
    await expect(run('games/none.py')).rejects.toThrow('there is no such file or folder');
  });
});
