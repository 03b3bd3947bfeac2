import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programOf } from './catalogue/index.ts';
import { playOut } from './catalogue/play.ts';
import { type Sandbox, SandboxUnavailable, startSandbox } from './index.ts';
import { sandboxPythonPath } from './python-path.ts';

const HONEST = programOf({ code: 'pass' });
const LIMITS = { stepMs: 700, loadMs: 3000, episodeMs: 20_000 };
const folder = mkdtempSync(join(tmpdir(), 'spade-door-'));
const path = join(folder, 'door');
let door: ChildProcess;
let sandbox: Sandbox;

/** The other container’s first process. */
function openDoor(): ChildProcess {
  const script = join(sandboxPythonPath(), 'spade_sandbox', 'door.py');
  const python = process.env.SPADE_PYTHON ?? 'python3';
  return spawn('/usr/bin/env', ['-i', python, '-I', '-S', '-B', script, path], { stdio: 'inherit' });
}

/** Processes whose parent is `pid`. */
function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(parent) === pid && state !== 'Z';
      } catch {
        return false;
      }
    })
    .map(Number);
}

beforeAll(async () => {
  door = openDoor();
  sandbox = await startSandbox({ limits: LIMITS, slots: 4, door: path });
});
afterAll(async () => {
  await sandbox?.close();
  door.kill('SIGTERM');
  rmSync(folder, { recursive: true });
});

describe.runIf(process.platform === 'linux')('a sandbox behind a door', () => {
  it('stands behind the same walls and plays to the same results as one that is a child', async () => {
    const near = await startSandbox({ limits: LIMITS, slots: 4 });
    expect(sandbox.isolation).toEqual(near.isolation);
    expect(await playOut(sandbox, HONEST, 7)).toEqual(await playOut(near, HONEST, 7));
    await near.close();
  });

  it('forks from processes that are not ours', () => {
    const pid = door.pid as number;
    expect(childrenOf(pid).length).toBeGreaterThan(0);
    expect(childrenOf(process.pid)).toContain(pid);
    expect(childrenOf(process.pid)).toHaveLength(1);
  });

  it('ends a program at the deadline that its supervisor keeps', async () => {
    const environment = await sandbox.open(programOf({ place: 'step', code: 'while True: pass' }), { seed: 1 });
    await environment.load();
    await environment.reset(1);
    const since = performance.now();
    expect(await environment.step('x')).toMatchObject({ ok: false, reason: 'timeout.step' });
    expect(performance.now() - since).toBeGreaterThan(LIMITS.stepMs);
    environment.close();
  });

  it('tells how a program died', async () => {
    const program = programOf({ place: 'module', code: 'import sys\nsys.modules["socket"].socket()' });
    const environment = await sandbox.open(program, { seed: 1 });
    expect(await environment.load()).toMatchObject({ ok: false, reason: 'policy.syscall' });
    environment.close();
  });

  it('lets nobody in who does not greet, and stays open', async () => {
    const stranger = connect(path);
    stranger.write(Buffer.from([255, 255, 255, 255]));
    await once(stranger, 'close');
    expect((await playOut(sandbox, HONEST, 3)).shown.length).toBeGreaterThan(0);
  });

  it('takes a fork server with its programs away when the supervisor goes', async () => {
    const before = childrenOf(door.pid as number).length;
    const passing = await startSandbox({ limits: LIMITS, slots: 2, door: path });
    expect(childrenOf(door.pid as number).length).toBeGreaterThan(before);
    await passing.close();
    await expect.poll(() => childrenOf(door.pid as number).length, { timeout: 10_000 }).toBe(before);
  });

  it('leaves with 0 when it is told to and its supervisors have gone', async () => {
    const other = mkdtempSync(join(tmpdir(), 'spade-door-'));
    const script = join(sandboxPythonPath(), 'spade_sandbox', 'door.py');
    const second = spawn(process.env.SPADE_PYTHON ?? 'python3', ['-I', '-S', '-B', script, join(other, 'door')]);
    const guest = await startSandbox({ limits: LIMITS, slots: 1, door: join(other, 'door') });
    second.kill('SIGTERM');
    expect((await playOut(guest, HONEST, 1)).shown.length).toBeGreaterThan(0);
    const left = once(second, 'exit');
    await guest.close();
    expect(await left).toEqual([0, null]);
    rmSync(other, { recursive: true });
  });
});

it('a door that nobody opens is an error that names it', async () => {
  const absent = join(folder, 'x'.repeat(200));
  await expect(startSandbox({ door: absent })).rejects.toThrow(SandboxUnavailable);
});
