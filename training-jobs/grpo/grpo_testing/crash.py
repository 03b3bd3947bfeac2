"""Runs jobs that meet a signal at a chosen moment: `python -m grpo_testing.crash`, one JSON object a line.

    {"root": "/job", "at": "grpo.train.take_step", "call": 2, "signal": 9}

forks a child that trains the job and sends itself the signal just before the `call`-th call (from 1) of the named
function;
without `at` the job is left in peace. The answer is a line with the child's exit code, negative for a death by
signal. The signal falls between two instructions of the trainer that the test names, so no test depends on luck.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grpo.threads import settle_threads


def main() -> None:
    """Serve until end of file."""
    settle_threads()
    import grpo.train
    import transformers.models.qwen3.modeling_qwen3

    assert grpo.train and transformers
    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _train(request)
        _, status = os.waitpid(pid, 0)
        print(json.dumps({"code": os.waitstatus_to_exitcode(status)}), flush=True)


def _train(request: dict[str, Any]) -> None:
    from grpo.__main__ import run
    from grpo.job import JobFolders

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    code = 1
    try:
        if "at" in request:
            _set_trap(request["at"], request["call"], request["signal"])
        code = run(JobFolders(Path(request["root"])))
    finally:
        os._exit(code)


def _set_trap(name: str, call: int, signal: int) -> None:
    module_name, function_name = name.rsplit(".", 1)
    module = importlib.import_module(module_name)
    real: Callable[..., Any] = getattr(module, function_name)
    calls = 0

    def trap(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            os.kill(os.getpid(), signal)
        return real(*args, **kwargs)

    setattr(module, function_name, trap)


if __name__ == "__main__":
    main()
