"""T18, M25: a job that dies at any point and is started again ends with the bytes of an undisturbed one."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from grpo_testing.factory import make_job, make_rows

ROOM = Path(__file__).parents[1]
SETTINGS = {"epochs": 2, "steps_per_epoch": 2, "checkpoint_seconds": 0}
Ask = Callable[..., int]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Runs a job in a process that can be killed; gives its exit code."""
    environment = {**os.environ, "PYTHONPATH": str(ROOM)}
    with subprocess.Popen(
        [sys.executable, "-m", "grpo_testing.crash"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    ) as process:
        assert process.stdin is not None and process.stdout is not None

        def ask(root: Path, **trap: Any) -> int:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(json.dumps({"root": str(root), **trap}) + "\n")
            process.stdin.flush()
            return int(json.loads(process.stdout.readline())["code"])

        yield ask
        process.stdin.close()


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory, model: Any) -> Path:
    return make_job(tmp_path_factory.mktemp("jobs") / "job", model, make_rows(model, 8), **SETTINGS)


@pytest.fixture(scope="module")
def undisturbed(ask: Ask, job: Path) -> dict[str, str]:
    root = job.parent / "undisturbed"
    shutil.copytree(job, root)
    assert ask(root) == 0
    return outputs(root)


def outputs(root: Path) -> dict[str, str]:
    """Hash of every file that a job leaves, but for what the clock saw."""
    files = [p for folder in ("model", "checkpoints") for p in (root / folder).rglob("*") if p.is_file()]
    return {str(p.relative_to(root)): sha256(p.read_bytes()).hexdigest() for p in files if p.name != "timings.json"}


@pytest.mark.parametrize(
    ("at", "call"),
    [
        ("grpo.train.measure_known", 1),
        ("grpo.train.take_step", 1),
        ("grpo.train.take_step", 3),
        ("grpo.step._apply", 4),
        ("grpo.train.save_checkpoint", 2),
        ("grpo.training_state.publish_folder", 2),
        ("grpo.checkpoint.remove_checkpoints", 2),
        ("grpo.train.save_final", 1),
        ("grpo.train.probe_policy", 1),
        ("grpo.publish.model_card", 1),
        ("grpo.publish.canonical_json", 1),
        ("grpo.train.write_lines", 1),
        ("grpo.train.write_text", 2),
        ("grpo.train.remove_checkpoints", 1),
        ("grpo.train.write_timings", 1),
    ],
)
def test_killed_at_any_point_and_started_again(
    ask: Ask, job: Path, undisturbed: dict[str, str], tmp_path: Path, at: str, call: int
) -> None:
    root = tmp_path / "job"
    shutil.copytree(job, root)
    assert ask(root, at=at, call=call, signal=signal.SIGKILL) == -signal.SIGKILL
    assert ask(root) == 0
    assert outputs(root) == undisturbed


def test_killed_again_and_again(ask: Ask, job: Path, undisturbed: dict[str, str], tmp_path: Path) -> None:
    root = tmp_path / "job"
    shutil.copytree(job, root)
    while ask(root, at="grpo.train.take_step", call=2, signal=signal.SIGKILL):
        pass
    assert outputs(root) == undisturbed


def test_sigterm_finishes_the_step_and_leaves_a_checkpoint(
    ask: Ask, job: Path, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    root = tmp_path / "job"
    shutil.copytree(job, root)
    assert ask(root, at="grpo.step._apply", call=2, signal=signal.SIGTERM) == 143
    assert [p.name for p in (root / "checkpoints").glob("step-*")] == ["step-000002"]
    assert ask(root) == 0
    assert outputs(root) == undisturbed


def test_sigterm_without_time_for_the_step_keeps_what_was_before_it(
    ask: Ask, model: Any, undisturbed: dict[str, str], tmp_path: Path
) -> None:
    """No grace at all: the step that had begun is given up, the one before it is kept although no checkpoint was
    due."""
    rows = make_rows(model, 8)
    settings = {**SETTINGS, "checkpoint_seconds": 300, "stop_grace_seconds": 0, "max_tokens_per_microbatch": 64}
    root = make_job(tmp_path / "job", model, rows, **settings)
    peace = make_job(tmp_path / "peace", model, rows, **settings)
    assert ask(root, at="grpo.step.score_micro_batch", call=3, signal=signal.SIGTERM) == 143
    assert ask(root) == 0
    assert ask(peace) == 0
    assert outputs(root) == outputs(peace)


def test_a_checkpoint_of_another_version_is_not_taken(ask: Ask, job: Path, tmp_path: Path) -> None:
    root = tmp_path / "job"
    shutil.copytree(job, root)
    assert ask(root, at="grpo.train.take_step", call=4, signal=signal.SIGKILL) == -signal.SIGKILL
    config = root / "input" / "config" / "hyperparameters.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "policy_version": "2"}))
    assert ask(root) == 0
    assert json.loads((root / "checkpoints" / "summary.json").read_text())["steps"] == 4
