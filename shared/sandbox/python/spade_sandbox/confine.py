"""The walls round a process that will run generated code.

What a process inherits from the fork server is built there once (`Walls.build`); what is its own is built after the
fork (`Walls.close_in`), in the one order that works: a change of user clears the death signal, so it comes first, and
the filter comes last because it forbids every call made here.
"""

import contextlib
import ctypes
import os
import resource
import sys
from dataclasses import dataclass

from .filter import Template

CONNECTION_FD = 3
NOBODY = 65534
LINUX = sys.platform == "linux"

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_SIGKILL = 9
_DESCRIPTORS = 8

_prctl = ctypes.CDLL(None, use_errno=True).prctl if LINUX else None
if _prctl is not None:
    _prctl.argtypes = [ctypes.c_ulong] * 5


class ConfinementFailed(Exception):
    """A wall that was asked for could not be built; the process must not run generated code."""


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def _control(option: int, first: int, second: int = 0) -> None:
    if _prctl is not None and _prctl(option, first, second, 0, 0) != 0:
        raise ConfinementFailed(f"prctl {option}: {os.strerror(ctypes.get_errno())}")


def _limit(name: int, value: int) -> None:
    resource.setrlimit(name, (value, value))


def become_nobody() -> None:
    """Gives up root for good. Raises OSError without the capability."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)


def install(template: Template, buffer: "ctypes.Array[ctypes.c_char]") -> None:
    """Puts this process under the filter, for good. Raises ConfinementFailed when the kernel refuses."""
    template.fill(buffer, os.getpid())
    program = _FilterProgram(len(buffer) // 8, ctypes.addressof(buffer))
    _control(_PR_SET_NO_NEW_PRIVS, 1)
    _control(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.addressof(program))


@dataclass(frozen=True)
class WallSettings:
    """What is asked for. `memory_bytes` beyond what the fork server itself maps; `cpu_seconds` whole seconds."""

    memory_bytes: int
    cpu_seconds: int
    template: Template | None
    change_user: bool


class Walls:
    """The inherited walls of this fork server, and the recipe for those of each process."""

    def __init__(self, settings: WallSettings) -> None:
        self._settings = settings
        if settings.template is not None:
            self._buffer = settings.template.buffer()

    def build(self) -> None:
        """In the fork server: everything that a forked process inherits. Raises ConfinementFailed or OSError."""
        for name in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE):
            _limit(name, 0)
        if not LINUX:
            return
        _prefer_for_the_oom_killer()
        _limit(resource.RLIMIT_MEMLOCK, 0)
        _limit(resource.RLIMIT_AS, _mapped_bytes() + self._settings.memory_bytes)
        _control(_PR_SET_NO_NEW_PRIVS, 1)
        _control(_PR_SET_DUMPABLE, 0)

    def close_in(self, connection: int) -> None:
        """In the forked process: the rest, the filter last. Raises ConfinementFailed or OSError."""
        settings = self._settings
        _close_everything_but(connection)
        if settings.template is None:
            os.setpgid(0, 0)
        if settings.change_user:
            become_nobody()
        _limit(resource.RLIMIT_NOFILE, _DESCRIPTORS)
        _limit(resource.RLIMIT_CPU, settings.cpu_seconds)
        if not LINUX:
            return
        _limit(resource.RLIMIT_NPROC, 0)
        _control(_PR_SET_PDEATHSIG, _SIGKILL)
        _control(_PR_SET_DUMPABLE, 0)
        if settings.template is not None:
            install(settings.template, self._buffer)


# Plain descriptors, not pathlib: every module loaded here is memory that each process inherits.
def _prefer_for_the_oom_killer() -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(descriptor, b"1000")
        os.close(descriptor)


def _mapped_bytes() -> int:
    descriptor = os.open("/proc/self/statm", os.O_RDONLY)
    pages = int(os.read(descriptor, 64).split()[0])
    os.close(descriptor)
    return pages * os.sysconf("SC_PAGE_SIZE")


def _close_everything_but(connection: int) -> None:
    """Moves the connection to descriptor 3, points 0–2 at nothing, and closes all others."""
    nothing = os.open(os.devnull, os.O_RDWR)
    if nothing == CONNECTION_FD:
        nothing = os.dup(nothing)
    if connection != CONNECTION_FD:
        os.dup2(connection, CONNECTION_FD, inheritable=False)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.closerange(CONNECTION_FD + 1, 4096)
