import { execFileSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { InvalidInput, NotFound } from '../../contracts/index.ts';
import { createFileStore } from '../store-file.ts';
import { ensureArchive } from './adapter-archive.ts';
import { tar } from './tar.ts';

const prefix = 'exp/training/job/output/model/';

async function trained() {
  const root = await mkdtemp(join(tmpdir(), 'spade-archive-'));
  const store = createFileStore(root);
  await store.put(`${prefix}adapter_config.json`, '{"r": 16}');
  await store.put(`${prefix}adapter_model.safetensors`, new Uint8Array(1000).fill(7));
  await store.put(`${prefix}chat/template.jinja`, 'x'.repeat(512));
  return { root, store };
}

describe('archive of an adapter', () => {
  it('holds the files at its root, as tar itself reads them', async () => {
    const { root, store } = await trained();
    await ensureArchive(store, prefix);
    const archive = join(root, 'exp/training/job/output/model.tar.gz');
    const listed = execFileSync('tar', ['-tvzf', archive], { encoding: 'utf8' }).trimEnd().split('\n');
    expect(listed.map((line) => line.split(/\s+/).at(-1))).toEqual([
      'adapter_config.json',
      'adapter_model.safetensors',
      'chat/template.jinja',
    ]);
    const read = (file: string) => execFileSync('tar', ['-xzOf', archive, file]);
    expect(read('adapter_config.json').toString()).toBe('{"r": 16}');
    expect(read('adapter_model.safetensors').equals(Buffer.alloc(1000, 7))).toBe(true);
  });

  it('is made once and lies beside the files that the manifest hashes', async () => {
    const { store } = await trained();
    await ensureArchive(store, prefix);
    const first = await store.get('exp/training/job/output/model.tar.gz');
    await store.put(`${prefix}adapter_config.json`, 'changed');
    await ensureArchive(store, prefix);
    expect(await store.get('exp/training/job/output/model.tar.gz')).toEqual(first);
    expect(await store.list(prefix)).toHaveLength(3);
  });

  it('needs files', async () => {
    const { store } = await trained();
    await expect(ensureArchive(store, 'exp/none/')).rejects.toBeInstanceOf(NotFound);
  });

  it('refuses a path that the format cannot hold', () => {
    expect(() => tar([{ path: 'x'.repeat(101), body: new Uint8Array() }])).toThrow(InvalidInput);
    expect(tar([])).toHaveLength(1024);
  });
});
