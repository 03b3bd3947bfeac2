import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One wall broken on purpose: a replacement in one file, and the rows of which at least one must notice. */
interface Mutation {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly rows: string;
  readonly modes: string;
}

const PYTHON = 'shared/sandbox/python/spade_sandbox';
const wall = (name: string, file: string, from: string, to: string, rows: string, modes = 'unvalidated'): Mutation => ({
  name,
  file,
  from,
  to,
  rows,
  modes,
});
const FILTER = `${PYTHON}/filter.py`;
const KILL_AT_END = 'program.append((RETURN, 0, 0, KILL_PROCESS))';

const MUTATIONS: readonly Mutation[] = [
  wall('filter lets unnamed calls pass', FILTER, KILL_AT_END, 'program.append((RETURN, 0, 0, ALLOW))', 'C'),
  wall(
    'filter lets files be opened',
    `${PYTHON}/syscalls.py`,
    'REFUSED_EACCES: Final[dict[str, tuple[int, int]]] = {\n    "open": (2, ABSENT),\n    "openat": (257, 56),',
    'REFUSED_EACCES: Final[dict[str, tuple[int, int]]] = {',
    'C07',
  ),
  wall(
    'filter allows openat',
    `${PYTHON}/syscalls.py`,
    '    "read": (0, 63),',
    '    "read": (0, 63),\n    "openat": (257, 56),',
    'C07',
  ),
  wall(
    'filter allows socket',
    `${PYTHON}/syscalls.py`,
    '    "read": (0, 63),',
    '    "read": (0, 63),\n    "socket": (41, 198),',
    'C09',
  ),
  wall(
    'filter allows clone',
    `${PYTHON}/syscalls.py`,
    '    "read": (0, 63),',
    '    "read": (0, 63),\n    "clone": (56, 220),',
    'A01,A03',
  ),
  wall(
    'filter allows kill',
    `${PYTHON}/syscalls.py`,
    '    "read": (0, 63),',
    '    "read": (0, 63),\n    "kill": (62, 129),',
    'C12',
  ),
  wall(
    'executable memory is allowed',
    FILTER,
    'yield (JUMP_ANY_BIT, 0, 1, PROT_EXEC)',
    'yield (JUMP_ANY_BIT, 0, 1, 0)',
    'C05',
  ),
  wall(
    'any process may be signalled',
    FILTER,
    'yield (JUMP_EQUAL, 0, 1, pid)',
    'yield (JUMP_EQUAL, 0, 0, pid)',
    'C12,D06c',
  ),
  wall(
    'x32 numbers are allowed',
    FILTER,
    '(JUMP_ANY_BIT, 0, 1, X32_BIT),\n        (RETURN, 0, 0, KILL_PROCESS),',
    '(JUMP_ANY_BIT, 0, 1, X32_BIT),\n        (RETURN, 0, 0, ALLOW),',
    'C06a',
  ),
  wall('descriptors are inherited', `${PYTHON}/confine.py`, 'os.closerange(CONNECTION_FD + 1, 4096)', 'pass', 'D11'),
  wall(
    'the environment is inherited',
    'shared/sandbox/fork-server.ts',
    'env: { PYTHONHASHSEED',
    'env: { ...process.env, PYTHONHASHSEED',
    'C08a',
  ),
  wall(
    'no limit of memory',
    `${PYTHON}/confine.py`,
    '_limit(resource.RLIMIT_AS, _mapped_bytes() + self._settings.memory_bytes)',
    'pass',
    'A10,A11,A12,A13',
  ),
  wall(
    'no deadline',
    'shared/sandbox/child.ts',
    'setTimeout(() => void this.#deadlinePassed(late, deadlineMs, due, extensions), deadlineMs)',
    'setTimeout(() => void this.#deadlinePassed(late, deadlineMs, due, extensions), deadlineMs * 60)',
    'A04d',
  ),
  wall('no budget of an episode', 'shared/sandbox/environment.ts', 'this.#remainingMs -= answer.ms;', '', 'A21'),
  wall(
    'unsolicited frames pass',
    'shared/sandbox/child.ts',
    'const surplus = bodies.length > 1 || this.#parser.partial;',
    'const surplus = false;',
    'D01',
  ),
  wall(
    'the index of a reply is not compared',
    'shared/sandbox/child.ts',
    'if (envelope.index !== this.#next)',
    'if (envelope.index < 0)',
    'D02a',
  ),
  wall(
    'any reason is believed',
    'shared/sandbox/values.ts',
    "if (!isReasonCode(reason) || reason.startsWith('infra.')) return malformed('an unknown reason');",
    '',
    'D02h',
  ),
  wall('no cap on a frame', 'shared/sandbox/frames.ts', 'if (length > this.#cap)', 'if (length > 2 ** 40)', 'D02b'),
  wall(
    'observations are not checked twice',
    'shared/sandbox/values.ts',
    "if (typeof raw !== 'string') return fault('obs.type', 'the observation is not a text');",
    "if (typeof raw !== 'string') return value(raw as string);",
    'D08',
  ),
  wall('rewards may be anything', `${PYTHON}/values.py`, 'if not math.isfinite(value):', 'if False:', 'E01,E02'),
  wall(
    'subclasses pass as plain values',
    `${PYTHON}/values.py`,
    'if type(value) is not float:',
    'if not isinstance(value, float):',
    'E03',
  ),
  wall(
    'no determinism layer',
    'shared/validation/layers.ts',
    "  ['determinism', determinismLayer],",
    '',
    'F01,F02,F03',
    'validation',
  ),
  wall(
    'no trivial policies',
    'shared/validation/layers.ts',
    "  ['trivial-policies', trivialPolicyLayer],",
    '',
    'G01',
    'validation',
  ),
  wall('no odd actions', 'shared/validation/layers.ts', "  ['robustness', robustnessLayer],", '', 'E14', 'validation'),
  wall('no leak checks', 'shared/validation/layers.ts', "  ['leaks', leakLayer],", '', 'G04', 'validation'),
  wall(
    'one hash seed',
    'shared/sandbox/sandbox.ts',
    'const OTHER_HASH_SEED = 1;',
    'const OTHER_HASH_SEED = 0;',
    'F03',
    'validation',
  ),
  wall('one clock', `${PYTHON}/harness.py`, 'if request["clock"] == "other":', 'if False:', 'F01b', 'validation'),
];

const root = fileURLToPath(new URL('..', import.meta.url));

function noticed(mutation: Mutation): string {
  const folder = mkdtempSync(join(tmpdir(), 'spade-mutation-'));
  try {
    for (const part of ['shared', 'scripts', 'package.json'])
      cpSync(join(root, part), join(folder, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const file = join(folder, mutation.file);
    const text = readFileSync(file, 'utf8');
    if (!text.includes(mutation.from)) return 'does not apply';
    writeFileSync(file, text.replace(mutation.from, mutation.to));
    const script = [
      join(folder, 'scripts/check-sandbox.ts'),
      '--rows',
      mutation.rows,
      '--modes',
      mutation.modes,
      '--json',
    ];
    const { status, stdout } = spawnSync(process.execPath, script, { encoding: 'utf8', timeout: 300_000, cwd: folder });
    if (status === null) return 'noticed: the run did not end';
    if (status === 0) return 'unnoticed';
    if (stdout === '') return 'noticed: the sandbox does not start (its self-test fails) or the run breaks';
    const { outcomes, harms } = JSON.parse(stdout) as {
      outcomes: { id: string; complaint: string | null }[];
      harms: { complaint: string }[];
    };
    const rows = outcomes.filter(({ complaint }) => complaint !== null).map(({ id }) => id);
    return `noticed by ${[...rows, ...harms.map(({ complaint }) => complaint)].join(' ')}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the mutations whose name holds `part` and prints what noticed them. Returns the exit code: 0 when none went unnoticed. */
export function runMutations(part: string): number {
  const verdicts = MUTATIONS.filter(({ name }) => name.includes(part)).map((mutation) => {
    const verdict = noticed(mutation);
    console.log(`${mutation.name.padEnd(42)} ${verdict}`);
    return verdict;
  });
  const alive = verdicts.filter((verdict) => !verdict.startsWith('noticed')).length;
  console.log(`\nmutations noticed: ${verdicts.length - alive} / ${verdicts.length}`);
  return alive === 0 ? 0 : 1;
}
