import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { InvalidInput, NotFound } from '../shared/contracts/index.ts';
import { findEpisodes, findObject, gzipText, readObject, writeOnce } from './objects.ts';
import { memoryStore } from './testing/memory-store.ts';
import { episode } from './testing/objects.ts';

const Value = z.strictObject({ b: z.int(), a: z.int() });

describe('writeOnce', () => {
  it('stores sorted keys, and gives the first value to whoever comes later', async () => {
    const store = memoryStore();
    expect(await writeOnce(store, 'key', Value, { b: 1, a: 2 })).toEqual({ a: 2, b: 1 });
    expect(new TextDecoder().decode(await store.get('key'))).toBe('{"a":2,"b":1}\n');
    expect(await writeOnce(store, 'key', Value, { b: 9, a: 9 })).toEqual({ a: 2, b: 1 });
  });

  it('stores nothing that its schema refuses', async () => {
    const store = memoryStore();
    await expect(writeOnce(store, 'key', Value, { b: 1.5, a: 2 })).rejects.toThrow();
    expect(store.objects.size).toBe(0);
  });
});

describe('readObject and findObject', () => {
  it.each(['{', '{"a":1}', '{"a":1,"b":2,"c":3}'])('refuse %s and name the key', async (body) => {
    const store = memoryStore();
    await store.put('some/key', body);
    await expect(readObject(store, 'some/key', Value)).rejects.toThrow(InvalidInput);
    await expect(findObject(store, 'some/key', Value)).rejects.toThrow(/some\/key/);
  });

  it('tell a missing object from a broken one', async () => {
    expect(await findObject(memoryStore(), 'key', Value)).toBeNull();
    await expect(readObject(memoryStore(), 'key', Value)).rejects.toThrow(NotFound);
  });
});

describe('gzip', () => {
  it('depends on the text alone, and members join', () => {
    expect([...gzipText('a\n').subarray(4, 10)]).toEqual([0, 0, 0, 0, 0, 255]);
    expect(gunzipSync(Buffer.concat([gzipText('a\n'), gzipText('b\n')])).toString()).toBe('a\nb\n');
  });

  it('reads episodes, and refuses half an object', async () => {
    const store = memoryStore();
    const one = episode('e', 'unhinted', 0, 1, 1);
    const body = gzipText(`${JSON.stringify(one)}\n`);
    await store.put('whole', body);
    await store.put('half', body.subarray(0, body.length - 12));
    expect(await findEpisodes(store, 'whole')).toEqual([one]);
    expect(await findEpisodes(store, 'none')).toBeNull();
    await expect(findEpisodes(store, 'half')).rejects.toThrow(/half/);
  });
});
