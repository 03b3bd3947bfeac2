"""One thread for all of the trainer's tests: the bits they compare depend on the order of additions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from grpo.__main__ import run
from grpo.job import JobFolders
from grpo_testing.factory import make_job, make_rows, tiny_model
from hypothesis import settings

torch.set_num_threads(1)
# A shared machine may stop any example for a second; the same examples every time, or a red run could not be repeated.
settings.register_profile("trainer", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("trainer")


@pytest.fixture(scope="session")
def model() -> Any:
    return tiny_model()


@pytest.fixture(scope="session")
def exact_model() -> Any:
    """The same weights in float64."""
    return tiny_model(dtype=torch.float64)


@pytest.fixture(autouse=True)
def keep_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job run inside the test process must not take over its signal handlers."""
    monkeypatch.setattr("grpo.stop.StopRequest.install", lambda self: None)


@pytest.fixture
def trained(tmp_path: Path, model: Any) -> Callable[..., Path]:
    """Runs a job to its end in this process and gives its folder."""
    numbers = iter(range(1000))

    def train(rows: list[dict[str, Any]] | None = None, expect: int = 0, policy: Any = model, **settings: Any) -> Path:
        root = tmp_path / f"job-{next(numbers)}"
        make_job(root, policy, make_rows(policy, 12) if rows is None else rows, **settings)
        assert run(JobFolders(root)) == expect
        return root

    return train
