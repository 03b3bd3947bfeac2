"""The warm trainer: one import, many jobs, each like a job of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from grpo_testing.factory import make_job, make_rows

ROOM = Path(__file__).parents[1]
Say = Callable[[Path], None]
Hear = Callable[[str], dict[str, Any]]


@pytest.fixture
def warm() -> Iterator[tuple[subprocess.Popen[str], Say, Hear]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOM)}
    with subprocess.Popen(
        [sys.executable, "-m", "grpo.warm"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def say(root: Path) -> None:
            stdin.write(f"{root}\n")
            stdin.flush()

        def hear(event: str) -> dict[str, Any]:
            for line in stdout:
                message: dict[str, Any] = json.loads(line)
                if message["event"] == event:
                    return message
            raise AssertionError(f"no {event} before the end")

        hear("ready")
        yield process, say, hear
        process.kill()


def test_jobs_run_one_after_another_and_report_their_own_ends(
    warm: tuple[subprocess.Popen[str], Say, Hear], tmp_path: Path, model: Any
) -> None:
    process, say, hear = warm
    good = make_job(tmp_path / "good", model, make_rows(model, 4))
    bad = make_job(tmp_path / "bad", model, make_rows(model, 4), clip_low=7)
    say(good)
    assert hear("progress")["done"] == 1
    assert hear("exit") == {"event": "exit", "root": str(good), "code": 0}
    say(bad)
    assert hear("exit") == {"event": "exit", "root": str(bad), "code": 1}
    assert "clip_low" in (bad / "output" / "failure").read_text()
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(timeout=30) == 0


def test_a_job_can_be_stopped_without_the_others(
    warm: tuple[subprocess.Popen[str], Say, Hear], tmp_path: Path, model: Any
) -> None:
    process, say, hear = warm
    long = make_job(tmp_path / "long", model, make_rows(model, 8), epochs=10000, learning_rate=1e-5)
    say(long)
    child = hear("started")["pid"]
    hear("progress")
    os.kill(child, signal.SIGTERM)
    assert hear("exit")["code"] == 143
    assert list((long / "checkpoints").glob("step-*"))
    assert process.poll() is None


def test_a_killed_parent_takes_its_jobs_along(
    warm: tuple[subprocess.Popen[str], Say, Hear], tmp_path: Path, model: Any
) -> None:
    process, say, hear = warm
    say(make_job(tmp_path / "long", model, make_rows(model, 8), epochs=10000, learning_rate=1e-5))
    child = hear("started")["pid"]
    hear("progress")
    process.kill()
    process.wait()
    deadline = 200
    while _alive(child) and deadline:
        deadline -= 1
        signal.sigtimedwait([], 0.05)
    assert not _alive(child)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] not in "ZX"
    except FileNotFoundError:
        return False
