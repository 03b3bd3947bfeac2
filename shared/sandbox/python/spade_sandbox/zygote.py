"""The fork server: imports everything once, then forks a confined process for each episode on request.

Standard input carries commands of the supervisor, one JSON object a line: `{"fork": id}`, `{"kill": id}`,
`{"look": id}`. Standard output carries `{"ready": report}`, `{"exited": id, "status", "cpu", "killed"}`,
`{"failed": id, "detail"}` and `{"looked": id, "schedstat", "stat"}`: two files of /proc, for a supervisor in another
container. Each forked process is connected to the supervisor's socket, is confined, and then first of all says the
session's key, its id and its pid.
The server itself never sees a source, a seed, an observation or a hint: its memory is what every process inherits.
"""

import contextlib
import gc
import json
import os
import platform
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import harness
from .confine import CONNECTION_FD, LINUX, ConfinementFailed, Walls, WallSettings, become_nobody, install
from .filter import ARCHITECTURES, Template
from .preload import preload

EXIT_UNCONFINED = 97


@dataclass(frozen=True)
class Settings:
    """What the supervisor asks for on the command line."""

    socket_path: str
    key: str
    memory_bytes: int
    cpu_seconds: int
    filter: bool
    extra_modules: tuple[str, ...]


def _works(attempt: Callable[[], None]) -> bool:
    """Whether something can be done on this host, tried in a process of its own."""
    pid = os.fork()
    if pid == 0:
        try:
            attempt()
        except (ConfinementFailed, OSError):
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def _template(settings: Settings) -> tuple[Template | None, str]:
    """The filter, or why there is none: Lambda, for one, refuses a filter under its own."""
    if not settings.filter:
        return None, "seccomp: off"
    if not LINUX or platform.machine() not in ARCHITECTURES:
        return None, f"seccomp: not offered on {sys.platform} {platform.machine()}"
    template = Template(platform.machine())
    if not _works(lambda: install(template, template.buffer())):
        return None, "seccomp: this host refuses another filter"
    return template, ""


def _walls(settings: Settings) -> tuple[Walls, list[str], list[str]]:
    """The walls this host offers, and the names of the active and the missing ones."""
    active, missing = ["closed-fds", "empty-env", "rlimits"], []
    if LINUX:
        active.append("no-new-privs")
    template, without = _template(settings)
    if template is None:
        missing.append(without)
    else:
        active.append("seccomp")
    change_user = os.geteuid() == 0 and _works(become_nobody)
    if change_user:
        active.append("uid")
    else:
        missing.append("uid: only root can give processes another user")
    return Walls(WallSettings(settings.memory_bytes, settings.cpu_seconds, template, change_user)), active, missing


class Zygote:
    """Forks, kills and buries processes; one thread, one loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._injected = preload(settings.extra_modules)
        self._preloaded = {name: sys.modules[name] for name in settings.extra_modules}
        self._walls, self._active, self._missing = _walls(settings)
        self._walls.build()
        self._pid_of: dict[int, int] = {}
        self._id_of: dict[int, int] = {}
        self._killed: set[int] = set()

    def report(self) -> dict[str, Any]:
        """What `IsolationReport` needs, and the modules that may be imported."""
        host = f"{sys.platform} {platform.machine()}"
        return {
            "layers": sorted(self._active),
            "missing": self._missing,
            "interpreter": f"{platform.python_implementation()} {platform.python_version()}, {host}",
            "pid": os.getpid(),
        }

    def fork(self, identity: int) -> None:
        """One more confined process, connected to the supervisor."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(self._settings.socket_path)
        pid = os.fork()
        if pid == 0:
            self._become_child(connection.fileno(), identity)
        connection.close()
        self._pid_of[identity] = pid
        self._id_of[pid] = identity

    def _become_child(self, connection: int, identity: int) -> None:
        try:
            signal.set_wakeup_fd(-1)
            self._walls.close_in(connection)
            os.write(CONNECTION_FD, self._settings.key.encode() + struct.pack(">II", identity, os.getpid()))
        except (ConfinementFailed, OSError, ValueError):
            os._exit(EXIT_UNCONFINED)
        injected, preloaded = self._injected, self._preloaded
        with contextlib.suppress(BaseException):
            harness.serve(CONNECTION_FD, injected, preloaded)
        harness.leave()

    def kill(self, identity: int) -> list[dict[str, Any]]:
        """Ends a process and whatever it may have started; returns the obituaries of those that were dead already."""
        ended = self.bury()
        pid = self._pid_of.get(identity)
        if pid is None:
            return ended
        self._killed.add(identity)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return ended

    def look(self, identity: int) -> dict[str, Any]:
        """What the scheduler says of a process; empty texts for one that is gone."""
        pid = self._pid_of.get(identity)
        files = {name: "" if pid is None else _proc(pid, name) for name in ("schedstat", "stat")}
        return {"looked": identity, **files}

    def bury(self) -> list[dict[str, Any]]:
        """Reports of all processes that ended since the last call."""
        ended = []
        while self._id_of:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                break
            identity = self._id_of.pop(pid, None)
            if identity is not None:
                del self._pid_of[identity]
                cpu = usage.ru_utime + usage.ru_stime
                code = os.waitstatus_to_exitcode(status)
                ended.append(
                    {"exited": identity, "status": code, "cpu": round(cpu, 3), "killed": identity in self._killed}
                )
                self._killed.discard(identity)
        return ended


# A plain descriptor, as in confine.py: no module more in every process.
def _proc(pid: int, name: str) -> str:
    try:
        descriptor = os.open(f"/proc/{pid}/{name}", os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(descriptor, 4096).decode("latin-1")
    finally:
        os.close(descriptor)


def _say(messages: list[dict[str, Any]]) -> None:
    if not messages:
        return
    text = "".join(json.dumps(message) + "\n" for message in messages)
    view = memoryview(text.encode())
    while view:
        view = view[os.write(1, view) :]


def _remove(socket_path: str) -> None:
    """Tidies up after a supervisor that died; a living one does it itself, and behind a door it is not ours."""
    # Not pathlib: nothing can be imported any more, and what was imported is memory that each process inherits.
    with contextlib.suppress(OSError):
        os.unlink(socket_path)  # noqa: PTH108
        os.rmdir(socket_path.rpartition("/")[0])  # noqa: PTH106


def _obey(zygote: Zygote, line: bytes) -> None:
    command = json.loads(line)
    if "fork" in command:
        try:
            zygote.fork(command["fork"])
        except OSError as error:
            _say([{"failed": command["fork"], "detail": str(error)}])
    elif "look" in command:
        _say([zygote.look(command["look"])])
    else:
        _say(zygote.kill(command["kill"]))


def run(settings: Settings) -> None:
    """Serves until standard input ends, then leaves; the processes die with it."""
    wake_read, wake_write = os.pipe()
    for end in (wake_read, wake_write):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    zygote = Zygote(settings)
    gc.collect()
    gc.freeze()
    _say([{"ready": zygote.report()}])
    pending = b""
    while True:
        readable, _, _ = select.select([0, wake_read], [], [])
        if wake_read in readable:
            os.read(wake_read, 4096)
            _say(zygote.bury())
        if 0 in readable:
            chunk = os.read(0, 65536)
            if not chunk:
                _remove(settings.socket_path)
                return
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                _obey(zygote, line)


def settings_from(arguments: dict[str, Any]) -> Settings:
    """Settings from the JSON of the command line."""
    return Settings(
        socket_path=arguments["socketPath"],
        key=arguments["key"],
        memory_bytes=arguments["memoryBytes"],
        cpu_seconds=arguments["cpuSeconds"],
        filter=arguments["filter"],
        extra_modules=tuple(arguments["extraModules"]),
    )
