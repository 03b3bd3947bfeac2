import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { InvalidInput, NotFound, ServiceUnavailable } from '../contracts/index.ts';
import type { Store } from '../ports/index.ts';
import { createFileStore, sweepUnfinished } from './store-file.ts';

const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('utf8'));

describe('file store', () => {
  let root: string;
  let store: Store;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'spade-store-'));
    store = createFileStore(root);
  });

  it('gives back what was put, as UTF-8 or bytes', async () => {
    await store.put('a/b.txt', 'Grüße, 世界 🎲');
    await store.put('a/c.bin', new Uint8Array([0, 255, 10]));
    expect(text(await store.get('a/b.txt'))).toBe('Grüße, 世界 🎲');
    expect([...(await store.get('a/c.bin'))]).toEqual([0, 255, 10]);
  });

  it('takes a file of this machine', async () => {
    const path = join(root, '..', `${basename(root)}-weights`);
    await writeFile(path, Buffer.alloc(300_000, 'abcdefg'));
    await store.putFile('models/weights', path);
    expect(Buffer.from(await store.get('models/weights')).equals(await readFile(path))).toBe(true);
    await expect(store.putFile('models/none', `${path}-none`)).rejects.toBeInstanceOf(ServiceUnavailable);
    expect(await store.list('')).toEqual(['models/weights']);
    expect(await readdir(join(root, '.unfinished'))).toEqual([]);
  });

  it('gives back a large object in pieces', async () => {
    const body = Buffer.alloc(300_000, 'abcdefg');
    await store.put('large', body);
    const pieces: Uint8Array[] = [];
    for await (const piece of store.chunks('large')) pieces.push(piece);
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces).equals(body)).toBe(true);
    await expect(store.chunks('nothing')[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(NotFound);
  });

  it('knows what is missing', async () => {
    await store.put('a/b', 'x');
    expect(await store.find('nothing')).toBeNull();
    expect(await store.find('a')).toBeNull();
    expect(await store.find('a/b/c')).toBeNull();
    expect(await store.exists('a')).toBe(false);
    expect(await store.exists('a/b')).toBe(true);
    await expect(store.get('nothing')).rejects.toBeInstanceOf(NotFound);
  });

  it('lets exactly one of many claim a key, and keeps the winner', async () => {
    const claims = await Promise.all(Array.from({ length: 32 }, (_, i) => store.putIfAbsent('job/result', `${i}`)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(text(await store.get('job/result'))).toBe(`${claims.indexOf(true)}`);
    expect(await store.putIfAbsent('job/result', 'late')).toBe(false);
  });

  it('lists by string prefix, sorted as S3 sorts', async () => {
    for (const key of ['e/0002/z', 'e/0001/b/1', 'e/0001/b', 'e/0001/a', 'f', 'e/0001/é', 'e/0001/🎲', 'e/0001/ｚ']) {
      if (key !== 'e/0001/b') await store.put(key, '');
    }
    expect(await store.list('e/0001/')).toEqual(['e/0001/a', 'e/0001/b/1', 'e/0001/é', 'e/0001/ｚ', 'e/0001/🎲']);
    expect(await store.list('e/000')).toHaveLength(6);
    expect(await store.list('none/')).toEqual([]);
    expect(await store.list('')).toHaveLength(7);
  });

  it.each([
    '',
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a//b',
    './a',
    'a\\..\\b',
    'a\0b',
    'a/',
    '.unfinished/x',
    '0123456789'.repeat(103),
  ])('refuses the key %.20j', async (key) => {
    await expect(async () => store.put(key, 'x')).rejects.toBeInstanceOf(InvalidInput);
    await expect(async () => store.find(key)).rejects.toBeInstanceOf(InvalidInput);
  });

  it('says that a key cannot lie inside another one', async () => {
    await store.put('a', 'x');
    await expect(store.put('a/b', 'y')).rejects.toBeInstanceOf(InvalidInput);
  });

  it('reports a full disk as unavailable, and leaves nothing half written', async () => {
    const module = fileURLToPath(new URL('./store-file.ts', import.meta.url));
    const program = `import { createFileStore } from ${JSON.stringify(module)};
      const store = createFileStore(${JSON.stringify(root)});
      await store.put('small', 'x');
      try { await store.put('big', 'x'.repeat(100_000)); } catch (error) { console.log(error.name, error.message); }`;
    // A file size limit of 8 KiB stands for the full disk; the signal that comes with it is ignored.
    const script = `trap '' XFSZ; ulimit -f 8; exec ${process.execPath} --input-type=module-typescript -e "$PROGRAM"`;
    const writer = spawn('bash', ['-c', script], { env: { PROGRAM: program }, stdio: ['ignore', 'pipe', 'inherit'] });
    expect(await readText(writer.stdout)).toMatch(/^ServiceUnavailable file store is unavailable: EFBIG/);
    expect(await store.list('')).toEqual(['small']);
    expect(await readdir(join(root, '.unfinished'))).toEqual([]);
  });

  it('names keys as file URIs', () => {
    expect(store.uri('a/b c/')).toBe(`file://${root}/a/b%20c/`);
    expect(store.uri('')).toBe(`file://${root}`);
  });

  it('never shows half an object, even when the writer is killed', async () => {
    const module = fileURLToPath(new URL('./store-file.ts', import.meta.url));
    const program = `import { createFileStore } from ${JSON.stringify(module)};
      const store = createFileStore(${JSON.stringify(root)});
      for (let i = 0; ; i += 1) await store.put('big', String(i % 10).repeat(1_000_000));`;
    const writer = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], { stdio: 'ignore' });
    while ((await store.find('big')) === null) await new Promise((r) => setTimeout(r, 5));
    for (let i = 0; i < 20; i += 1) {
      const body = text(await store.get('big')) ?? '';
      expect(body.length === 1_000_000 && body === body.charAt(0).repeat(1_000_000)).toBe(true);
    }
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    expect((await store.get('big')).byteLength).toBe(1_000_000);
    expect(await store.list('')).toEqual(['big']);
    await sweepUnfinished(root);
    expect(await readdir(root)).toEqual(['big']);
  }, 120_000);
});
