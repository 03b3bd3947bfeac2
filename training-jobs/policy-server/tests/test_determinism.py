"""A request with a seed gives the same answer in any company, in any order, after any restart."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from policy_server.settings import Settings
from policy_server_testing.server import RunningServer, chat_request, running_server

PATH = "/v1/chat/completions"


def mixed_requests(count: int) -> list[dict[str, Any]]:
    """Requests of all sizes and settings, some of them with a common beginning."""
    chance = random.Random(5)
    texts = ["the tide " * chance.randint(0, 12) + str(chance.randint(0, 99)) for _ in range(count)]
    return [
        chat_request(
            text,
            seed=index,
            max_tokens=chance.randint(1, 30),
            temperature=chance.choice([0.0, 0.7, 1.0, 1.0, 1.5]),
            top_p=chance.choice([1.0, 1.0, 0.9]),
            top_k=chance.choice([0, 0, 20]),
            n=chance.choice([1, 1, 1, 3]),
        )
        for index, text in enumerate(texts)
    ]


REQUESTS = mixed_requests(16)


def answer(server: RunningServer, body: dict[str, Any]) -> str:
    return json.dumps(server.post(PATH, body))


@pytest.fixture(scope="module")
def alone(policy_dir: Path) -> list[str]:
    """Every request's answer when nothing else runs, one row at a time."""
    with running_server(
        Settings(policies=(("v0000", policy_dir),), deterministic=True, max_batch=1, threads=1)
    ) as single:
        return [answer(single, body) for body in REQUESTS]


@pytest.mark.parametrize(("max_batch", "threads"), [(3, 1), (8, 2), (256, 1)])
def test_company_does_not_matter(policy_dir: Path, alone: list[str], max_batch: int, threads: int) -> None:
    config = Settings(policies=(("v0000", policy_dir),), deterministic=True, max_batch=max_batch, threads=threads)
    with running_server(config) as busy:
        answers = busy.post_all(PATH, REQUESTS, clients=len(REQUESTS))
    assert [json.dumps(a) for a in answers] == alone


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_mix_in_any_order_gives_the_same_answers(
    server: RunningServer, alone: list[str], data: st.DataObject
) -> None:
    order = data.draw(st.lists(st.integers(0, len(REQUESTS) - 1), min_size=1, max_size=16))
    clients = data.draw(st.integers(1, 12))
    answers = server.post_all(PATH, [REQUESTS[index] for index in order], clients)
    assert [json.dumps(a) for a in answers] == [alone[index] for index in order]


def test_another_seed_gives_another_answer(server: RunningServer) -> None:
    answers = {tuple(server.chat("a", seed=seed)["choices"][0]["token_ids"]) for seed in range(8)}
    assert len(answers) > 1
