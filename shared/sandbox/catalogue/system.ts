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
  syscall('C06a', 'x32 number', call('0x40000000 + 39')),
  syscall('C06b', 'io_uring', call('425')),
  file('C07a', 'read /etc/passwd', '"/etc/passwd"'),
  file('C07b', 'read own environment', '"/proc/self/environ"'),
  file('C07c', "read the parent's memory", '"/proc/1/mem"'),
  file('C07d', 'read own maps', '"/proc/self/maps"'),
  file('C07e', 'read the harness', 'sys.modules["spade_sandbox.harness"].__file__'),
  syscall('C09a', 'TCP socket', `${socket}\nsocket.socket()`),
  syscall('C09b', 'UNIX socket', `${socket}\nsocket.socket(socket.AF_UNIX)`),
  syscall('C09c', 'netlink socket', `${socket}\nsocket.socket(16, socket.SOCK_RAW)`),
  syscall('C09d', 'socketpair', `${socket}\nsocket.socketpair()`),
  syscall('C09e', 'raw socket call', call('41')),
  syscall('C10', 'name look-up', `${socket}\nsocket.getaddrinfo("169.254.169.253.example", 53)`),
  syscall('C11', 'credential end point', `${socket}\nsocket.create_connection(("169.254.170.2", 80))`),
  syscall('C12a', 'signal to the parent', `${os}\nos.kill(1, 0)`),
  syscall('C12b', 'signal to everybody', `${os}\nos.kill(-1, 0)`),
  syscall('C12c', 'tgkill of a neighbour', call('234')),
  syscall('C13a', 'prlimit', call('302')),
  syscall('C13b', 'ptrace', call('101')),
  syscall('C13c', 'process_vm_writev', call('311')),
  syscall('C13d', 'pidfd_open', call('434')),
  syscall('C14a', 'setuid', `${os}\nos.setuid(0)`),
  syscall('C14b', 'unshare', call('272')),
  syscall('C14c', 'mount', call('165')),
  syscall('C14d', 'chroot', `${os}\nos.chroot("/")`),
  syscall('C15a', 'a second filter', `${libc}\nlibc.prctl(22, 2, 0, 0, 0)`),
  syscall('C15b', 'dumpable again', `${libc}\nlibc.prctl(4, 1, 0, 0, 0)`),
  syscall('C15c', 'personality', call('135')),
  syscall('C16a', 'keyring', call('248')),
  syscall('C16b', 'SysV shared memory', call('29')),
  syscall('C16c', 'POSIX message queue', call('240')),
  syscall('C16d', 'flock', call('73')),
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
];
