import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { programOf, ROWS } from './catalogue/index.ts';
import { playOut } from './catalogue/play.ts';
import { type Sandbox, SandboxUnavailable, startSandbox } from './index.ts';

const HONEST = programOf({ code: 'pass' });
const LIMITS = { stepMs: 700, loadMs: 3000, episodeMs: 20_000 };
const CANARY = 'canary-7f3a9d';
let sandbox: Sandbox;

/** First observation of a program whose `reset` shows `expression`. */
async function shown(expression: string, module = ''): Promise<string> {
  const source = programOf({ place: 'reset', code: `return str(${expression}) or "nothing", {}` }).replace(
    'class RowEnv',
    `${module}\nclass RowEnv`,
  );
  return (await playOut(sandbox, source, 1)).shown[0] ?? '';
}

beforeAll(async () => {
  process.env.SPADE_TEST_CANARY = CANARY;
  sandbox = await startSandbox({ limits: LIMITS, slots: 8 });
});
afterAll(() => sandbox.close());

describe('an episode', () => {
  it('is played step by step', async () => {
    const environment = await sandbox.open(HONEST, { seed: 1 });
    expect(await environment.load()).toEqual({
      ok: true,
      value: { title: 'RowEnv', hasSolution: true, toolUse: false, tools: [] },
    });
    const first = await environment.reset(5);
    const solution = await environment.solution();
    const answer = solution.ok ? solution.value?.text : '';
    expect(first).toMatchObject({ ok: true, value: { observation: expect.stringContaining('remainder by 7') } });
    expect(await environment.step(`\\boxed{${answer}}`)).toMatchObject({
      ok: true,
      value: { reward: 1, terminated: true },
    });
    environment.close();
  });

  it('is the same for the same seed and another for another', async () => {
    const [a, b, c] = await Promise.all([7, 7, 8].map((seed) => playOut(sandbox, HONEST, seed)));
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
  });

  it('cannot be stepped before reset or after its end: that is our mistake, not the program’s', async () => {
    const environment = await sandbox.open(HONEST, { seed: 1 });
    await environment.load();
    await expect(environment.step('x')).rejects.toThrow(/between reset and the end/);
    environment.close();
  });

  it('starts clean whatever an earlier one left behind', async () => {
    const patch =
      'random.Random.randint = lambda self, a, b: 3\nsys.modules["json"].dumps = None\nsys.modules["builtins"].leftover = 1';
    const before = await playOut(sandbox, HONEST, 7);
    await playOut(sandbox, programOf({ place: 'module', code: patch }), 7);
    expect(await playOut(sandbox, HONEST, 7)).toEqual(before);
    expect(await shown('hasattr(sys.modules["builtins"], "leftover")')).toBe('False');
  });

  it('seeds the random module for the program', async () => {
    const draw = programOf({ place: 'module', code: 'DRAWN = random.random()' }).replace(
      'return f"',
      'return str(DRAWN) + f"',
    );
    expect(await playOut(sandbox, draw, 5)).toEqual(await playOut(sandbox, draw, 5));
    expect((await playOut(sandbox, draw, 5)).shown[0]).not.toEqual((await playOut(sandbox, draw, 6)).shown[0]);
  });
});

describe('from inside', () => {
  it('has four descriptors: three of nothing and its connection', async () => {
    const probe =
      'def is_open(fd):\n    try:\n        sys.modules["os"].lseek(fd, 0, 1)\n        return True\n    except OSError as e:\n        return e.errno != 9';
    expect(await shown('[fd for fd in range(1024) if is_open(fd)]', probe)).toBe('[0, 1, 2, 3]');
  });

  it('has an environment of the hash seed and the locale, and no secret of the host on its initial stack', async () => {
    const names = await shown('sorted(sys.modules["os"].environ)');
    expect(["['PYTHONHASHSEED']", "['LC_CTYPE', 'PYTHONHASHSEED']"]).toContain(names);
    const scan = `
def stack_top():
    ctypes = sys.modules["ctypes"]
    first = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")[0]
    return ctypes.string_at(first, 4096 - first % 4096)`;
    const top = await shown('stack_top()', scan);
    expect(top).toContain('PYTHONHASHSEED=0');
    expect(top).not.toContain(CANARY);
  });

  it('finds a secret that is there: the catalogue’s searches of memory work', async () => {
    const secret = 'spade-canary-test-0123456789abcdef';
    const module = `PLANTED = "-".join(["spade", "canary", "test", "0123456789abcdef"])`;
    for (const id of ['C08a', 'C08b']) {
      const search = programOf(ROWS.find((row) => row.id === id) ?? { code: '' });
      const planted = search.replace('class RowEnv', `${module}\nclass RowEnv`);
      const [, found] = (await playOut(sandbox, planted, 1)).shown;
      expect(found).toContain(secret);
      expect(found).not.toContain('too little memory');
    }
  });

  it('finds no other program, seed or hint in the objects it inherited', async () => {
    await playOut(sandbox, HONEST.replace('Guess a number', 'Zebra secret text'), 1);
    const search = `
def search():
    gc = sys.modules["gc"]
    needle = "Zebra" + " secret"
    return any(isinstance(o, str) and needle in o for o in gc.get_objects()) or any(
        isinstance(v, (str, bytes)) and needle in str(v) for m in list(sys.modules.values()) for v in vars(m).values())`;
    expect(await shown('search()', search)).toBe('False');
  });
});

describe('faults', () => {
  it('leave the slot usable: after ten hangs in a row the eleventh episode is played', async () => {
    const hang = programOf({ place: 'reset', code: 'while True: pass' });
    const hangs = await Promise.all(Array.from({ length: 10 }, (_, seed) => playOut(sandbox, hang, seed)));
    expect(new Set(hangs.map(({ seen }) => seen))).toEqual(new Set(['timeout.step']));
    expect((await playOut(sandbox, HONEST, 1)).seen).toBe('played');
  });

  it('of a process that is killed from outside are the host’s', async () => {
    const environment = await sandbox.open(
      HONEST.replace('return f"', 'return str(sys.modules["os"].getpid()) + f" '),
      { seed: 1 },
    );
    await environment.load();
    const first = await environment.reset(1);
    const pid = Number(first.ok ? first.value.observation.split(' ')[0] : Number.NaN);
    process.kill(pid, 'SIGKILL');
    expect(await environment.step('x')).toMatchObject({ ok: false, outcome: 'infra_lost', reason: 'infra.killed' });
    environment.close();
  });

  it('bring a program that keeps failing into quarantine', async () => {
    const strict = await startSandbox({ limits: LIMITS, slots: 2, quarantineAfter: 3 });
    const crash = programOf({ code: 'sys.modules["os"].abort()' });
    const seen = [];
    for (let seed = 0; seed < 4; seed++) seen.push((await playOut(strict, crash, seed)).seen);
    expect(seen).toEqual(['crash.signal', 'crash.signal', 'crash.signal', 'env.quarantined']);
    expect((await playOut(strict, HONEST, 1)).seen).toBe('played');
    await strict.close();
  });
});

/** Control X12. The project's own environment has numpy; a bare interpreter need not. */
const PROJECT_PYTHON = fileURLToPath(new URL('../../.venv/bin/python', import.meta.url));

describe.runIf(existsSync(PROJECT_PYTHON))('a sandbox that offers numpy', () => {
  const body = (result: string) => programOf({ code: `import numpy as np\n${result}` });
  let own: Sandbox;
  beforeAll(async () => {
    own = await startSandbox({ python: PROJECT_PYTHON, extraModules: ['numpy'], slots: 4, limits: LIMITS });
  });
  afterAll(() => own.close());

  it('lets programs compute with it and return its scalars', async () => {
    const draw = 'x = np.random.default_rng(self.t).random((300, 300))\ny = np.linalg.inv(x @ x.T + np.eye(300))';
    const source = body(
      `${draw}\nreturn str(y.sum().round(6)), np.float32(0.5), np.bool_(False), np.bool_(self.t > 2), {}`,
    );
    const played = await playOut(own, source, 1);
    expect(played.seen).toBe('played');
    expect(played.shown.at(-1)).toMatch(/ 0\.5$/);
    expect(await playOut(own, source, 1)).toEqual(played);
  });

  it('seeds its global generator for the program', async () => {
    const source = programOf({ place: 'module', code: 'import numpy\nDRAWN = numpy.random.random()' }).replace(
      'return f"',
      'return str(DRAWN) + f"',
    );
    expect(await playOut(own, source, 5)).toEqual(await playOut(own, source, 5));
    expect((await playOut(own, source, 5)).shown[0]).not.toEqual((await playOut(own, source, 6)).shown[0]);
  });

  it('keeps its files closed', async () => {
    expect((await playOut(own, body('np.fromfile("/etc/passwd")'), 1)).seen).toBe('policy.file');
  });
});

/** An interpreter on a host that, like Lambda, refuses another system-call filter (prctl 22 answers EPERM). */
function hostWithoutFilters(): string {
  const wrapper = join(mkdtempSync(join(tmpdir(), 'spade-test-')), 'python');
  const ask = ['-c', 'import sys; print(sys.executable)'];
  const python = execFileSync(process.env.SPADE_PYTHON ?? 'python3', ask, { encoding: 'utf8' }).trim();
  const program = `#!${python}
import ctypes, os, struct, sys
code = [(0x20, 0, 0, 0), (0x15, 0, 3, 157), (0x20, 0, 0, 16), (0x15, 0, 1, 22), (6, 0, 0, 0x50001), (6, 0, 0, 0x7FFF0000)]
raw = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *c) for c in code))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]
libc = ctypes.CDLL(None)
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, ctypes.byref(Program(len(code), ctypes.addressof(raw))), 0, 0) == 0
os.execv('${python}', ['${python}', *sys.argv[1:]])
`;
  writeFileSync(wrapper, program, { mode: 0o755 });
  return wrapper;
}

describe.runIf(process.arch === 'x64')('a host that refuses the filter', () => {
  it('gets no sandbox where walls are required', async () => {
    await expect(startSandbox({ python: hostWithoutFilters(), slots: 2 })).rejects.toThrow(/seccomp/);
  });

  it('gets one with the other walls where it says so, and the report names what is missing', async () => {
    const partial = await startSandbox({
      python: hostWithoutFilters(),
      slots: 2,
      isolation: 'best-effort',
      limits: LIMITS,
    });
    expect(partial.isolation.layers).not.toContain('seccomp');
    expect(partial.isolation.missing).toContain('seccomp: this host refuses another filter');
    expect((await playOut(partial, HONEST, 1)).seen).toBe('played');
    expect((await playOut(partial, programOf({ code: 'while True: pass' }), 1)).seen).toBe('timeout.step');
    await partial.close();
  });
});

describe('the fork server', () => {
  it('is replaced when it is lost, and nobody but the host is charged', async () => {
    const own = await startSandbox({ limits: LIMITS, slots: 4 });
    const environment = await own.open(HONEST.replace('return f"', 'return str(sys.modules["os"].getpid()) + f" '), {
      seed: 1,
    });
    await environment.load();
    const first = await environment.reset(1);
    const pid = first.ok ? first.value.observation.split(' ')[0] : '';
    const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    process.kill(Number(parent), 'SIGKILL');
    await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 20_000 }).toBe(false);
    expect(await environment.step('x')).toMatchObject({
      ok: false,
      outcome: 'infra_lost',
      reason: 'infra.zygote_lost',
    });
    expect((await playOut(own, HONEST, 1)).seen).toBe('played');
    await own.close();
  });

  it('leaves nothing behind: no process, no socket folder', async () => {
    process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'spade-test-'));
    const own = await startSandbox({ limits: LIMITS, slots: 2 });
    await playOut(own, HONEST, 1);
    await own.close();
    expect(readdirSync(tmpdir())).toEqual([]);
    rmdirSync(tmpdir());
    delete process.env.TMPDIR;
  });

  it('tidies up when its supervisor is killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spade-test-'));
    const module = JSON.stringify(new URL('index.ts', import.meta.url).href);
    const script = `const { startSandbox } = await import(${module}); await startSandbox({ slots: 2 }); console.log('up')`;
    const supervisor = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(supervisor.stdout, 'data');
    expect(readdirSync(folder)).toHaveLength(1);
    supervisor.kill('SIGKILL');
    await expect.poll(() => readdirSync(folder), { timeout: 20_000 }).toEqual([]);
    rmdirSync(folder);
  });

  it('that cannot be started is an error, not a sandbox without walls', async () => {
    await expect(startSandbox({ python: '/no/such/python' })).rejects.toBeInstanceOf(SandboxUnavailable);
  });

  it('reports the walls that stand', () => {
    expect(sandbox.isolation.layers).toEqual(
      expect.arrayContaining(['closed-fds', 'empty-env', 'no-new-privs', 'rlimits', 'seccomp']),
    );
  });
});
