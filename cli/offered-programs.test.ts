import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { countPrograms, offeredPrograms } from './offered-programs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spade-offered-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const put = (name: string, content: string | Uint8Array) => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), content);
};
const offered = async (...names: string[]) => {
  const all = [];
  for await (const one of offeredPrograms(names.map((name) => join(folder, name)))) all.push(one);
  return all;
};

test('a folder gives its programs in order, with what its manifest says of them', async () => {
  put('run/environments/r1/b.py', 'class BEnv: pass');
  put('run/environments/r1/a.py', 'class AEnv: pass');
  put('run/environments/r1/notes.txt', 'no program');
  const entry = { path: 'environments/r1/b.py', source_run: 'r1', model_scale: '4b', skill: 'optimization', step: 3 };
  put('run/manifest.json', JSON.stringify({ version: 1, environments: [entry] }));
  const [a, b, ...rest] = await offered('run');
  expect(rest).toEqual([]);
  expect(a).toMatchObject({ line: 1, program: { id: 'a.py', skill: '', source: 'class AEnv: pass' } });
  expect(b).toMatchObject({
    ...{ line: 2, program: { id: 'b.py', skill: 'Optimization' } },
  });
  expect(b?.program?.metadata).toMatchObject({ source_run: 'r1', model_scale: '4b', step: 3 });
  expect(await countPrograms([join(folder, 'run')])).toBe(2);
});

test('a manifest may be a map by file name', async () => {
  put('run/a.py', 'class AEnv: pass');
  put('run/manifest.json', JSON.stringify({ 'a.py': { skill: 'memory_recall' } }));
  expect((await offered('run'))[0]).toMatchObject({ program: { skill: 'Memory Recall' } });
});

test('a file that is not UTF-8 is offered as none', async () => {
  put('latin.py', Uint8Array.of(0x23, 0xe9, 0x0a));
  expect(await offered('latin.py')).toMatchObject([{ program: null, problem: 'not UTF-8' }]);
});

test('blank lines of a pool are no programs, but lines keep their numbers', async () => {
  put('pool.jsonl', '\uFEFF{"code": "a"}\r\n\n{"code": "b"}\n[]');
  expect((await offered('pool.jsonl')).map(({ line, program }) => [line, program?.source])).toEqual([
    [1, 'a'],
    [3, 'b'],
    [4, undefined],
  ]);
  expect(await countPrograms([join(folder, 'pool.jsonl')])).toBe(3);
});
