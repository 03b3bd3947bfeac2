import { CANARY_PATTERN } from './canary.ts';
import type { Row } from './row.ts';

const SYSCALL = ['policy.syscall'] as const;
const FILE = ['policy.file'] as const;
const os = 'os = sys.modules["os"]';
const libc = 'ctypes = sys.modules["ctypes"]\nlibc = ctypes.CDLL(None)';
const socket = 'socket = sys.modules["socket"]';
const call = (number: string) => `${libc}\nlibc.syscall(${number}, 0, 0, 0, 0, 0, 0)`;
const syscall = (id: string, title: string, code: string): Row => ({ id, title, code, reject: SYSCALL, err: SYSCALL });
const file = (id: string, title: string, path: string): Row => ({
  id,
  title,
  code: `${os}\ntext = sys.modules["io"].open(${path}, "rb").read()\nreturn str(text), 0.0, False, False, {}`,
  reject: FILE,
  err: FILE,
});

/** What reading memory that is not one's own may end with. */
const FORGED = ['crash.signal', 'env.exception', 'robust.action_crash', 'limit.memory', 'timeout.step'] as const;

/**
 * Walks from every kind of address that a program can learn (objects, C library, environment, stack) over all pages that can be
 * read. Whether one can be read is asked of the kernel: `rt_sigprocmask` reads its set (EFAULT) before it judges its first
 * argument (EINVAL).
 */
const MEMORY_SEARCH = `
if self.t > 1: return "searched", 0.0, False, self.t > 2, {}
ct, re, gc = sys.modules["ctypes"], sys.modules["re"], sys.modules["gc"]
libc = ct.CDLL(None, use_errno=True)
pattern, page, seen, found = re.compile(${CANARY_PATTERN}), 4096, set(), set()
def readable(at):
    libc.syscall(ct.c_long(14), ct.c_long(99), ct.c_void_p(at), None, ct.c_long(8))
    return ct.get_errno() == 22
environment = ct.POINTER(ct.c_void_p).in_dll(libc, "environ")
starts = [ct.cast(libc.malloc, ct.c_void_p).value, ct.cast(environment, ct.c_void_p).value, environment[0]]
starts += [id(o) for o in gc.get_objects()[::50]] + [id(None), id(object()), id(b"x" * 10**5)]
for start in starts:
    for direction in (page, -page):
        at = start // page * page
        while at not in seen and at > 0 and readable(at):
            seen.add(at)
            found.update(pattern.findall(ct.string_at(at, page + 64 if readable(at + page) else page)))
            at += direction
        seen.discard(start // page * page)
return (b" ".join(found) or b"nothing").decode() + (" in memory" if len(seen) > 500 else " in too little memory"), 0.0, False, self.t > 2, {}`;

const OBJECT_SEARCH = `
gc, needle = sys.modules["gc"], "-".join(["spade", "canary", ""])
texts = [o for o in gc.get_objects() if type(o) in (str, bytes)]
for o in gc.get_objects():
    if type(o) is dict:
        texts += [v for v in list(o.values()) if type(v) in (str, bytes)]
    elif type(o) in (list, tuple):
        texts += [v for v in o if type(v) in (str, bytes)]
frame = sys._getframe()
while frame:
    texts += [v for v in {**frame.f_globals, **frame.f_locals}.values() if type(v) in (str, bytes)]
    frame = frame.f_back
return (" ".join({str(t)[:99] for t in texts if needle in str(t)}) or "nothing"), 0.0, False, self.t > 2, {}`;

/** C: reaching the system. Every row stands past the static layer on purpose. */
export const SYSTEM: readonly Row[] = [
  ...[
    'import os',
    '__import__("os")',
    'import importlib\nimportlib.import_module("os")',
    'import ctypes',
    'import socket',
    'exec("import os")',
    'eval("1")',
  ].map(
    (code, index): Row => ({
      id: `C01${'abcdefg'[index]}`,
      title: `visible: ${code.split('\n').at(-1)}`,
      code,
      reject: ['import.forbidden'],
      err: ['played', 'import.missing', 'env.exception'],
      noTrigger: true,
    }),
  ),
  syscall(
    'C02',
    'walk of subclasses to a system call',
    'for c in ().__class__.__base__.__subclasses__():\n    if c.__name__ == "BuiltinImporter":\n        c().load_module("posix").fork()\nreturn "not found", 0.0, True, False, {}',
  ),
  syscall(
    'C03',
    'traceback frames to the harness',
    'try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    f = e.__traceback__.tb_frame\n    while f.f_back: f = f.f_back\n    f.f_globals["os"].fork()',
  ),
  syscall('C04a', 'ctypes system()', `${libc}\nlibc.system(b"true")`),
  syscall('C04b', 'ctypes raw fork', call('57')),
  syscall('C05a', 'executable memory by mmap', `${libc}\nlibc.mmap(0, 4096, 7, 34, -1, 0)`),
  syscall(
    'C05b',
    'executable memory by mprotect',
    `${libc}\nb = ctypes.create_string_buffer(8192)\nlibc.mprotect(ctypes.c_void_p((ctypes.addressof(b) + 4095) & ~4095), 4096, 7)`,
  ),
  {
    id: 'C05c',
    title: 'forged bytecode reads past its constants',
    code: 'def f(): return "a constant"\nf.__code__ = f.__code__.replace(co_consts=())\nf()',
    reject: FORGED,
    err: ['played', ...FORGED],
  },
  syscall('C06a', 'x32 number', call('0x40000000 + 39')),
  syscall('C06b', 'io_uring', call('425')),
  file('C07a', 'read /etc/passwd', '"/etc/passwd"'),
  file('C07b', 'read own environment', '"/proc/self/environ"'),
  file('C07c', "read the parent's memory", '"/proc/1/mem"'),
  file('C07d', 'read own maps', '"/proc/self/maps"'),
  file('C07e', 'read the harness', 'sys.modules["spade_sandbox.harness"].__file__'),
  {
    id: 'C08a',
    title: 'search of the whole memory for secrets',
    code: MEMORY_SEARCH,
    reject: ['degenerate.unwinnable', 'nondeterministic', 'state.reset_leak'],
    err: ['played'],
  },
  {
    id: 'C08b',
    title: 'search of all objects and frames for secrets',
    code: OBJECT_SEARCH,
    reject: ['degenerate.unwinnable', 'nondeterministic', 'state.reset_leak'],
    err: ['played'],
  },
  syscall('C09a', 'TCP socket', `${socket}\nsocket.socket()`),
  syscall('C09b', 'UNIX socket', `${socket}\nsocket.socket(socket.AF_UNIX)`),
  syscall('C09c', 'netlink socket', `${socket}\nsocket.socket(16, socket.SOCK_RAW)`),
  syscall('C09d', 'socketpair', `${socket}\nsocket.socketpair()`),
  syscall('C09e', 'raw socket call', call('41')),
  syscall('C09f', 'VSOCK socket', `${socket}\nsocket.socket(40, socket.SOCK_STREAM)`),
  syscall('C10', 'name look-up', `${socket}\nsocket.getaddrinfo("169.254.169.253.example", 53)`),
  syscall('C11', 'credential end point', `${socket}\nsocket.create_connection(("169.254.170.2", 80))`),
  syscall('C11b', 'instance metadata', `${socket}\nsocket.create_connection(("169.254.169.254", 80))`),
  syscall('C11c', 'runtime interface of a function', `${socket}\nsocket.create_connection(("127.0.0.1", 9001))`),
  syscall('C12a', 'signal to the parent', `${os}\nos.kill(1, 0)`),
  syscall('C12b', 'signal to everybody', `${os}\nos.kill(-1, 0)`),
  syscall('C12c', 'tgkill of a neighbour', call('234')),
  syscall('C12d', 'stop the parent', `${os}\nos.kill(os.getppid(), 19)`),
  syscall('C13a', 'prlimit', call('302')),
  syscall('C13b', 'ptrace', call('101')),
  syscall('C13c', 'process_vm_writev', call('311')),
  syscall('C13d', 'pidfd_open', call('434')),
  syscall('C13e', 'pidfd_getfd', call('438')),
  syscall('C13f', 'kcmp', call('312')),
  syscall('C14a', 'setuid', `${os}\nos.setuid(0)`),
  syscall('C14b', 'unshare', call('272')),
  syscall('C14c', 'mount', call('165')),
  syscall('C14d', 'chroot', `${os}\nos.chroot("/")`),
  syscall('C14e', 'setns', call('308')),
  syscall('C14f', 'pivot_root', call('155')),
  syscall('C14g', 'capset', call('126')),
  syscall('C14h', 'clone with a new user namespace', `${libc}\nlibc.syscall(56, 0x10000011, 0, 0, 0, 0)`),
  syscall('C15a', 'a second filter', `${libc}\nlibc.prctl(22, 2, 0, 0, 0)`),
  syscall('C15b', 'dumpable again', `${libc}\nlibc.prctl(4, 1, 0, 0, 0)`),
  syscall('C15c', 'personality', call('135')),
  syscall('C15d', 'no death signal', `${libc}\nlibc.prctl(1, 0, 0, 0, 0)`),
  syscall('C15e', 'a second filter by seccomp()', call('317')),
  syscall('C16a', 'keyring', call('248')),
  syscall('C16b', 'SysV shared memory', call('29')),
  syscall('C16c', 'POSIX message queue', call('240')),
  syscall('C16d', 'flock', call('73')),
  syscall('C16e', 'SysV semaphore', call('64')),
  syscall('C16f', 'SysV message queue', call('68')),
  {
    id: 'C17',
    title: 'every signal ignored, then a loop',
    code: 'import signal\nfor s in (1, 2, 14, 15, 24, 11): sys.modules["signal"].signal(s, sys.modules["signal"].SIG_IGN)\nwhile True: pass',
    reject: ['import.forbidden'],
    err: ['timeout.step'],
  },
  {
    id: 'C18',
    title: 'settrace that loops',
    code: 'def trace(*a):\n    while True: pass\nsys.settrace(trace)\nprint(len([]))\n(lambda: 0)()',
    reject: ['timeout.step'],
    err: ['timeout.step'],
  },
  {
    id: 'C18b',
    title: 'audit hook that loops',
    code: 'def hook(*a):\n    while True: pass\nsys.addaudithook(hook)\nsys.audit("row")',
    reject: ['timeout.step'],
    err: ['timeout.step'],
  },
  {
    id: 'C18c',
    title: 'breakpoint',
    code: 'breakpoint()',
    reject: ['import.forbidden'],
    err: ['played'],
  },
  {
    id: 'C18d',
    title: 'faulthandler starts a thread',
    code: 'import faulthandler\nfaulthandler.dump_traceback_later(1)',
    reject: ['import.forbidden'],
    err: ['policy.syscall', 'env.exception'],
  },
];
