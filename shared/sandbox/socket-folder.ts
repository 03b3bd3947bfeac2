import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';

const PREFIX = 'spade-sandbox-';
/** A folder without a socket belongs to somebody who is about to make one, unless it is older than this, milliseconds. */
const YOUNG_MS = 60_000;

/** Folders that this process has swept. */
const swept = new Set<string>();

/** The socket of a fork server in its folder. */
export const socketIn = (folder: string): string => join(folder, 's');

/**
 * A new folder for the socket of one fork server. The first time, what others left in `parent` is removed: a supervisor and a
 * fork server that are killed together cannot tidy up.
 */
export async function makeSocketFolder(parent: string): Promise<string> {
  if (!swept.has(parent)) {
    swept.add(parent);
    await sweepSocketFolders(parent);
  }
  return mkdtemp(join(parent, PREFIX));
}

/** Removes the folders of fork servers whose supervisor is dead: nobody listens at their sockets. */
export async function sweepSocketFolders(parent: string): Promise<void> {
  const names = await readdir(parent);
  const folders = names.filter((name) => name.startsWith(PREFIX)).map((name) => join(parent, name));
  await Promise.all(
    folders.map(async (folder) => {
      // Another user's folder stays, as does one that its owner removes at this moment.
      if (await isDead(folder)) await rm(folder, { recursive: true, force: true }).catch(() => {});
    }),
  );
}

async function isDead(folder: string): Promise<boolean> {
  const refusal = await knock(socketIn(folder));
  if (refusal === 'ENOENT')
    return Date.now() - (await stat(folder).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs > YOUNG_MS;
  return refusal === 'ECONNREFUSED';
}

/** Why nobody opens, or null when somebody does. Works across containers, where process ids say nothing. */
function knock(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(null);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
  });
}
