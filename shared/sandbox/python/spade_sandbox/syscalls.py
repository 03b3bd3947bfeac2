"""Numbers of the system calls that the filter names, per architecture, and what it does with them.

Everything that is not named here kills the process. The list is short because all modules are imported before the
filter is installed: a program that only computes needs memory, clocks, signals of its own and its two pipe ends.
Numbers: Linux `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`; they never change.
"""

from typing import Final

ABSENT: Final = -1

# name: (x86_64, aarch64)
ALLOWED: Final[dict[str, tuple[int, int]]] = {
    "read": (0, 63),
    "write": (1, 64),
    "writev": (20, 66),
    "close": (3, 57),
    "fstat": (5, 80),
    "lseek": (8, 62),
    "poll": (7, ABSENT),
    "ppoll": (271, 73),
    "select": (23, ABSENT),
    "pselect6": (270, 72),
    "munmap": (11, 215),
    "brk": (12, 214),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "nanosleep": (35, 101),
    "clock_nanosleep": (230, 115),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "gettimeofday": (96, 169),
    "time": (201, ABSENT),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getrandom": (318, 278),
    "futex": (202, 98),
    "sched_yield": (24, 124),
    "exit": (60, 93),
    "exit_group": (231, 94),
}

# Looking for a file is what honest code does by accident (traceback reads source lines, warnings too): it is told no.
REFUSED_EACCES: Final[dict[str, tuple[int, int]]] = {
    "open": (2, ABSENT),
    "openat": (257, 56),
    "openat2": (437, 437),
    "creat": (85, ABSENT),
    "stat": (4, ABSENT),
    "lstat": (6, ABSENT),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "statfs": (137, 43),
    "access": (21, ABSENT),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, ABSENT),
    "readlinkat": (267, 78),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "mkdir": (83, ABSENT),
    "mkdirat": (258, 34),
    "rmdir": (84, ABSENT),
    "unlink": (87, ABSENT),
    "unlinkat": (263, 35),
    "rename": (82, ABSENT),
    "renameat": (264, 38),
    "renameat2": (316, 276),
}

# Asking about the host or for timers: harmless to refuse, and the C library falls back.
REFUSED_EPERM: Final[dict[str, tuple[int, int]]] = {
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "sched_getaffinity": (204, 123),
    "setitimer": (38, 103),
    "alarm": (37, ABSENT),
    "fcntl": (72, 25),
    "getppid": (110, 173),
}
REFUSED_ENOTTY: Final[dict[str, tuple[int, int]]] = {"ioctl": (16, 29)}
# The C library then tries clone, whose flags a filter can read, and which is not named: the process dies.
REFUSED_ENOSYS: Final[dict[str, tuple[int, int]]] = {"clone3": (435, 435)}

# Allowed only when an argument passes a test; see filter.py.
MAPPING: Final[dict[str, tuple[int, int]]] = {"mmap": (9, 222), "mprotect": (10, 226)}
SIGNAL_SELF: Final[dict[str, tuple[int, int]]] = {"tgkill": (234, 131)}
