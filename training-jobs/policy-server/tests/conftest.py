from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from policy_server.settings import Settings
from policy_server_testing.policies import write_policy
from policy_server_testing.server import RunningServer, running_server

# Examples go through servers and threads: on a busy machine a slow one says nothing.
settings.register_profile("policy-server", deadline=None)
settings.load_profile("policy-server")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def policy_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_policy(tmp_path_factory.mktemp("policies") / "v0000")


@pytest.fixture(scope="session")
def other_policy_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_policy(tmp_path_factory.mktemp("policies") / "v0001", seed=7)


@pytest.fixture(scope="module")
def server(policy_dir: Path) -> Iterator[RunningServer]:
    settings = Settings(policies=(("v0000", policy_dir),), deterministic=True, max_batch=32)
    with running_server(settings) as running:
        yield running
