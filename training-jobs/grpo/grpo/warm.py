"""A trainer that is warm, for the laptop: what SageMaker's warm pools are to a cluster.

Importing PyTorch and transformers takes longer than training the embedded policy on one iteration. This process
imports them once and forks a child for each job; the child is `python -m grpo --root ROOT` in all respects, progress on
standard output included.

    stdin    one job root a line; end of file asks for the end
    stdout   {"event": "ready"} once, {"event": "started", "root": …, "pid": …} and {"event": "exit", "root": …,
    "code": …}
             for each job, and the jobs' own lines between them

The parent computes nothing and starts no thread, since a thread does not survive a fork. SIGTERM to a child's pid stops
that job; SIGTERM to the parent, or end of file, stops all jobs and then the parent. A parent that is killed takes its
children with it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import selectors
import signal
import sys
from pathlib import Path

from .__main__ import run
from .job import JobFolders
from .progress import Progress
from .threads import settle_threads

PR_SET_PDEATHSIG = 1


def main() -> int:
    """Serve jobs until end of file or SIGTERM."""
    if sys.argv[1:]:
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    settle_threads()
    _import_everything()
    # The collector must not touch, and so copy, the pages that all children share.
    gc.collect()
    gc.freeze()
    Workshop().serve()
    return 0


def _import_everything() -> None:
    """All modules a job of the usual architecture needs; others are imported by the child that meets them."""
    import transformers.models.auto.modeling_auto
    import transformers.models.auto.tokenization_auto
    import transformers.models.qwen3.modeling_qwen3

    from . import train

    assert train and transformers


class Workshop:
    """Reads job roots, forks a child for each and reports its end."""

    def __init__(self) -> None:
        self._jobs: dict[int, str] = {}
        self._progress = Progress()
        self._ending = False
        self._bell, self._rope = os.pipe()
        os.set_blocking(self._rope, False)
        os.set_blocking(self._bell, False)

    def serve(self) -> None:
        """Until there is neither input nor a running job."""
        signal.set_wakeup_fd(self._rope, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._end())
        signal.signal(signal.SIGINT, lambda *_: self._end())
        self._progress.emit("ready")
        waiting = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._bell, selectors.EVENT_READ)
            selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
            while not self._ending or self._jobs:
                ready = [key.fd for key, _ in selector.select()]
                if self._bell in ready:
                    os.read(self._bell, 4096)
                if sys.stdin.fileno() in ready and not self._ending:
                    waiting = self._hear(os.read(sys.stdin.fileno(), 65536), waiting)
                if self._ending and sys.stdin.fileno() in selector.get_map():
                    selector.unregister(sys.stdin.fileno())
                self._bury()

    def _hear(self, data: bytes, waiting: bytes) -> bytes:
        """Start a job for each whole line; what is left of the last one is returned."""
        if not data:
            self._end()
            return b""
        *lines, rest = (waiting + data).split(b"\n")
        for line in lines:
            if line.strip():
                self._start(line.decode().strip())
        return rest

    def _start(self, root: str) -> None:
        sys.stdout.flush()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            _become_job(root, parent)
        self._jobs[pid] = root
        self._progress.emit("started", root=root, pid=pid)

    def _bury(self) -> None:
        """Report every child that has ended."""
        while self._jobs:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            code = os.waitstatus_to_exitcode(status)
            self._progress.emit("exit", root=self._jobs.pop(pid), code=code)

    def _end(self) -> None:
        self._ending = True
        for pid in self._jobs:
            os.kill(pid, signal.SIGTERM)


def _become_job(root: str, parent: int) -> None:
    """The child's life; it leaves by `_exit`, so nothing that the parent registered runs twice."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        _die_with(parent)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        code = run(JobFolders(Path(root)))
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _die_with(parent: int) -> None:
    """Ask Linux for SIGKILL when the parent goes; elsewhere the job's lock keeps a second trainer away."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
