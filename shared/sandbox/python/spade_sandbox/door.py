"""The door of a sandbox in a container of its own: a UNIX socket on a volume that it shares with its supervisor.

`env -i python -I -S -B door.py SOCKET`, as the first process of the container: with an empty environment, so that no
process of the container has one that could be read.
Each connection is one fork server. The supervisor sends one frame, `{"hashSeed": number, "settings": {…}}`, and from
then on the connection is the server's standard input and output. When the supervisor closes it the server is killed,
and what it forked dies with it; when the server ends the connection is closed. Which interpreter and which program
run is the door's own affair: nothing else can be asked of it.
On SIGTERM it lets nobody in and leaves when the last supervisor has gone, or after DRAIN_SECONDS.
"""

import contextlib
import json
import os
import select
import signal
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HELLO_SECONDS = 5
HELLO_BYTES = 65_536
DRAIN_SECONDS = 25
_HANGUP = select.POLLRDHUP | select.POLLHUP | select.POLLERR


@dataclass(frozen=True)
class _Server:
    connection: socket.socket
    pid: int


class Door:
    """Starts fork servers for whoever connects, and ends them; one thread, one loop."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        # The supervisor has another user; only the two containers see the volume.
        path.chmod(0o666)
        self._listener.listen(16)
        self._servers: dict[int, _Server] = {}
        self._poll = select.poll()
        self._poll.register(self._listener, select.POLLIN)
        self._wake, wake = os.pipe()
        for end in (self._wake, wake):
            os.set_blocking(end, False)
        self._poll.register(self._wake, select.POLLIN)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._close())
        self._leave_at = 0.0

    def serve(self) -> None:
        """Until SIGTERM and the end of the last server."""
        while self._leave_at == 0 or (self._servers and time.monotonic() < self._leave_at):
            for descriptor, _ in self._poll.poll(1000 if self._leave_at else None):
                if descriptor == self._wake:
                    os.read(self._wake, 4096)
                elif descriptor in self._servers:
                    os.kill(self._servers[descriptor].pid, signal.SIGKILL)
                    self._forget(descriptor)
                elif self._leave_at == 0:
                    self._enter()
            self._reap()

    def _close(self) -> None:
        if self._leave_at == 0:
            self._leave_at = time.monotonic() + DRAIN_SECONDS
            self._poll.unregister(self._listener)
            self._listener.close()

    def _enter(self) -> None:
        connection, _ = self._listener.accept()
        try:
            pid = _start(connection)
        except (OSError, ValueError, KeyError, TypeError) as error:
            print(f"door: refused: {error!r}", file=sys.stderr, flush=True)
            connection.close()
            return
        self._servers[connection.fileno()] = _Server(connection, pid)
        self._poll.register(connection, _HANGUP)

    def _forget(self, descriptor: int) -> None:
        self._poll.unregister(descriptor)
        self._servers.pop(descriptor).connection.close()

    def _reap(self) -> None:
        """Buries fork servers and, as the first process of a container, what they left."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                for descriptor in [at for at, server in self._servers.items() if server.pid == pid]:
                    self._forget(descriptor)


def _start(connection: socket.socket) -> int:
    """The fork server that a supervisor asks for, on its connection; its pid."""
    connection.settimeout(HELLO_SECONDS)
    length = int.from_bytes(_receive(connection, 4), "big")
    if length > HELLO_BYTES:
        raise ValueError(f"a greeting of {length} bytes")
    hello = json.loads(_receive(connection, length))
    connection.setblocking(True)
    here = Path(__file__).resolve().parent
    # Without PATH an interpreter that was started by its bare name does not know where it lies.
    python = sys.executable or str(Path("/proc/self/exe").readlink())
    settings = json.dumps({**hello["settings"], "pythonPath": str(here.parent)})
    flags = ["-s", "-S", "-B", "-X", "utf8"]
    return os.posix_spawn(
        python,
        [python, *flags, str(here / "launch.py"), settings],
        {"PYTHONHASHSEED": str(int(hello["hashSeed"]))},
        file_actions=[(os.POSIX_SPAWN_DUP2, connection.fileno(), end) for end in (0, 1)],
        setsid=True,
    )


def _receive(connection: socket.socket, count: int) -> bytes:
    parts = []
    while count > 0:
        part = connection.recv(count)
        if not part:
            raise ValueError("the supervisor left before it said anything")
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def main() -> None:
    """Serves at the socket of the command line."""
    os.chdir("/")
    Door(Path(sys.argv[1])).serve()


if __name__ == "__main__":
    main()
