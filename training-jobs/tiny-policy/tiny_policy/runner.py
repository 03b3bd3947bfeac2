"""A child process that runs model-written programs, with a deadline on every reply."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

CHILD = Path(__file__).with_name("runner_child.py")
DEADLINE_SECONDS = 30.0
"""Of wall time, the start of the child included: long, for it only has to catch what the child's timer cannot."""


class Runner:
    """Plays environments in a child process. A child that stops answering is killed; the episodes it held are lost.

    Use as a context manager. Every method returns None where the program failed.
    """

    def __init__(self) -> None:
        self.child: subprocess.Popen[bytes] | None = None
        self.next_id = 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the child."""
        if self.child is not None:
            self.child.kill()
            self.child.communicate()
            self.child = None

    def ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """One request and its reply."""
        if self.child is None:
            command = [sys.executable, "-I", str(CHILD)]
            self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={})
        assert self.child.stdin is not None and self.child.stdout is not None
        try:
            self.child.stdin.write(json.dumps(request).encode() + b"\n")
            self.child.stdin.flush()
            ready, _, _ = select.select([self.child.stdout], [], [], DEADLINE_SECONDS)
            line = self.child.stdout.readline() if ready else b""
        except BrokenPipeError:
            line = b""
        if not line:
            self.stop()
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer if answer["ok"] else None

    def reset(self, source: str, seed: int) -> tuple[int, str] | None:
        """Starts an episode; returns its number and first observation."""
        self.next_id += 1
        answer = self.ask({"op": "reset", "id": self.next_id, "source": source, "seed": seed})
        return None if answer is None else (self.next_id, answer["observation"])

    def step(self, episode: int, action: str) -> dict[str, Any] | None:
        """One action: observation, reward, terminated, truncated."""
        return self.ask({"op": "step", "id": episode, "action": action})

    def solution(self, episode: int) -> list[str] | None:
        """The reference solution of an episode that was just reset; ends that episode."""
        answer = self.ask({"op": "solution", "id": episode})
        return None if answer is None else answer["actions"]
