import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/*
 * The same programs end with the same reasons on a plain machine, where there is no /dev/shm, and on a read-only root with one writable
 * folder (cases T23). Linux only: the other two are mount namespaces of util-linux's `unshare`.
 */

const script = fileURLToPath(new URL('outcomes.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'spade-elsewhere-'));
const [root, scratch] = [join(folder, 'root'), join(folder, 'scratch')];
const node = [process.execPath, '--disable-warning=ExperimentalWarning', script];
const unshare = ['unshare', '--mount', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];

/** Runs all programs after some mounts, and gives each one's outcome. */
function outcomes(mounts: string | null): Record<string, string> {
  const command = mounts === null ? node : [...unshare, 'sh', '-euc', `${mounts}\nexec "$@"`, 'sh', ...node];
  const [program = '', ...args] = command;
  const env = { ...process.env, ...(mounts !== null && { TMPDIR: scratch }) };
  return JSON.parse(execFileSync(program, args, { env, encoding: 'utf8', maxBuffer: 2 ** 24 }));
}

const WITHOUT_SHM = 'mount -t tmpfs -o size=4k,mode=000 tmpfs /dev/shm';
const READ_ONLY = `mount --rbind / ${root}
mount -o remount,bind,ro ${root}
mount -t tmpfs tmpfs ${root}${scratch}
mount -t tmpfs -o size=4k,mode=000 tmpfs ${root}/dev/shm
if touch ${root}/spade-may-not-write 2>/dev/null; then exit 9; fi
set -- chroot ${root} "$@"`;

describe('the broken programs', () => {
  let here: Record<string, string>;
  beforeAll(() => {
    for (const path of [root, scratch]) mkdirSync(path);
    here = outcomes(null);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are all run', () => {
    expect(Object.keys(here).length).toBeGreaterThan(50);
  });

  it.each([
    ['without /dev/shm', WITHOUT_SHM],
    ['on a read-only root with one writable folder', READ_ONLY],
  ])('end with the same reasons %s', (_, mounts) => {
    expect(outcomes(mounts)).toEqual(here);
  });
});
