"""Runs programs that the model wrote, in a process of its own: one JSON request a line in, one JSON reply a line out.

Started by `runner` with an empty environment. It limits itself (memory, no new processes, no files, a timer round every
call) before it reads a request. This protects the recipe's own measurements from accidents, not from attackers: the
loop proper plays in the sandbox of shared/sandbox.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import resource
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

CALL_SECONDS = 0.5
"""Processor time of one call: a busy machine does not make a good program late. Sleepers meet the parent's deadline."""

MEMORY_BYTES = 1 << 30
MAX_TEXT = 2000

Handlers = dict[str, Callable[[dict[str, Any]], dict[str, Any]]]


def limit_process() -> None:
    """Caps memory, processes and file sizes of this process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def overtime(_signal: int, _frame: FrameType | None) -> None:
    """Signal handler: a call took too long."""
    raise TimeoutError


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """A timer round the block; what it prints goes nowhere."""
    signal.setitimer(signal.ITIMER_PROF, CALL_SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def environment_of(source: str) -> Any:
    """An instance of the one class of `source` whose name ends in Env."""
    space: dict[str, Any] = {"__name__": "environment"}
    exec(compile(source, "<environment>", "exec"), space)
    classes = [value for name, value in space.items() if name.endswith("Env") and isinstance(value, type)]
    (only,) = classes
    return only()


def text(value: object) -> str:
    """`value` as an observation; raises TypeError for anything but non-empty text of bounded length."""
    if type(value) is not str or not value or len(value) > MAX_TEXT:
        raise TypeError("observation")
    return value


class Episodes:
    """The environments in play, by number."""

    def __init__(self) -> None:
        self.live: dict[int, Any] = {}

    def reset(self, request: dict[str, Any]) -> dict[str, Any]:
        """Loads a program and resets it."""
        environment = environment_of(request["source"])
        observation, info = environment.reset(request["seed"])
        if type(info) is not dict:
            raise TypeError("info")
        self.live[request["id"]] = environment
        return {"observation": text(observation)}

    def step(self, request: dict[str, Any]) -> dict[str, Any]:
        """One action."""
        observation, reward, terminated, truncated, info = self.live[request["id"]].step(request["action"])
        if type(terminated) is not bool or type(truncated) is not bool or type(info) is not dict:
            raise TypeError("step")
        if type(reward) not in (int, float) or not math.isfinite(reward):
            raise TypeError("reward")
        if terminated or truncated:
            del self.live[request["id"]]
        return {
            "observation": text(observation),
            "reward": float(reward),
            "terminated": terminated,
            "truncated": truncated,
        }

    def solution(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reference solution as a list of actions."""
        answer = self.live.pop(request["id"]).solution()
        actions = answer if type(answer) is list else [answer]
        if not actions or not all(type(action) is str for action in actions):
            raise TypeError("solution")
        return {"actions": actions}


def reply(handlers: Handlers, line: str) -> dict[str, Any]:
    """The answer to one request; a program's own failure is an answer too."""
    request = json.loads(line)
    try:
        with guarded():
            return {"ok": True, **handlers[request["op"]](request)}
    except BaseException as error:
        return {"ok": False, "error": type(error).__name__}


def main() -> None:
    """Answers requests until standard input ends."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, overtime)
    limit_process()
    episodes = Episodes()
    handlers: Handlers = {"reset": episodes.reset, "step": episodes.step, "solution": episodes.solution}
    out = sys.stdout
    for line in sys.stdin:
        out.write(json.dumps(reply(handlers, line)) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
