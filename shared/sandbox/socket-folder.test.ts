import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeSocketFolder, socketIn, sweepSocketFolders } from './socket-folder.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'spade-test-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

function folderOf(name: string): string {
  const folder = join(parent, `spade-sandbox-${name}`);
  mkdirSync(folder);
  return folder;
}

/** A socket whose listener ended without removing it. */
function abandon(path: string): void {
  const program = 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])';
  execFileSync(process.env.SPADE_PYTHON ?? 'python3', ['-c', program, path]);
}

it('removes folders at whose sockets nobody listens, and no others', async () => {
  abandon(socketIn(folderOf('dead')));
  mkdirSync(join(parent, 'other'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socketIn(folderOf('alive')), resolve));
  await sweepSocketFolders(parent);
  expect(readdirSync(parent).sort()).toEqual(['other', 'spade-sandbox-alive']);
  server.close();
});

it('leaves a folder without a socket to its owner for a minute', async () => {
  folderOf('young');
  const old = folderOf('old');
  utimesSync(old, new Date(0), new Date(0));
  await sweepSocketFolders(parent);
  expect(readdirSync(parent)).toEqual(['spade-sandbox-young']);
});

it('sweeps before the first folder is made', async () => {
  abandon(socketIn(folderOf('dead')));
  const folder = await makeSocketFolder(parent);
  expect(readdirSync(parent).map((name) => join(parent, name))).toEqual([folder]);
});
