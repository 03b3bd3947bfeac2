import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmbeddedServer } from './embedded.ts';
import { openTable } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'spade-table-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('startEmbeddedServer', () => {
  it('rejects, and does not end the process, when its files are open already', async () => {
    const path = join(folder, 'table');
    const server = await startEmbeddedServer(path);
    const table = openTable(`dynamodb://127.0.0.1:${server.port}/spade`);
    await table.ensure();
    await expect(startEmbeddedServer(path)).rejects.toThrow('is unavailable');
    table.close();
    await server.close();
    await (await startEmbeddedServer(path)).close();
  });

  it('has its table as soon as that is made', async () => {
    for (let round = 0; round < 20; round += 1) {
      const server = await startEmbeddedServer(null);
      const table = openTable(`dynamodb://127.0.0.1:${server.port}/spade`);
      await table.ensure();
      expect(await table.ledger.totalUsd('exp')).toBe(0);
      table.close();
      await server.close();
    }
  });

  it('rejects when its folder is none', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, '');
    await expect(startEmbeddedServer(path)).rejects.toThrow('the embedded table in');
  });
});
