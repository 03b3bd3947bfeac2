"""Several clients and several policy versions at once."""

from __future__ import annotations

import http.client
import json
import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch
from policy_server.settings import Settings
from policy_server_testing.server import RunningServer, chat_request, running_server
from safetensors.torch import load_file, save_file

PATH = "/v1/chat/completions"


@pytest.fixture
def fresh(policy_dir: Path) -> Iterator[RunningServer]:
    settings = Settings(
        policies=(("v0000", policy_dir),), deterministic=True, max_batch=4, max_waiting=6, keep=2, threads=1
    )
    with running_server(settings) as running:
        yield running


def ids(body: object) -> list[int]:
    tokens: list[int] = body["choices"][0]["token_ids"]  # type: ignore[index]
    return tokens


def until(condition: object, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def test_a_version_is_loaded_under_load_and_both_answer_as_alone(
    fresh: RunningServer, policy_dir: Path, other_policy_dir: Path
) -> None:
    def ask(version: str, seed: int) -> list[int]:
        return ids(fresh.chat("add 12 and 30", model=version, seed=seed, max_tokens=24))

    before = [ask("v0000", seed) for seed in range(6)]
    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(ask, "v0000", seed % 6) for seed in range(24)]
        loaded = fresh.post("/v1/policies", {"id": "v0001", "path": str(other_policy_dir)})
        mixed = [pool.submit(ask, f"v000{seed % 2}", seed // 2) for seed in range(12)]
        assert loaded["id"] == "v0001"
        assert [future.result() for future in running] == [before[seed % 6] for seed in range(24)]
        answers = [future.result() for future in mixed]
    assert answers[0::2] == before
    assert answers[1::2] == [ask("v0001", seed) for seed in range(6)]
    assert answers[1::2] != before


def test_loading_twice_changes_nothing_and_another_path_is_a_conflict(
    fresh: RunningServer, policy_dir: Path, other_policy_dir: Path
) -> None:
    first = fresh.post("/v1/policies", {"id": "v0001", "path": str(other_policy_dir)})
    assert fresh.post("/v1/policies", {"id": "v0001", "path": str(other_policy_dir)}) == first
    reply = fresh.request("POST", "/v1/policies", {"id": "v0001", "path": str(policy_dir)})
    assert reply.status == 409
    assert str(other_policy_dir) in reply.body["error"]["message"]


def test_the_least_recently_used_version_makes_room(fresh: RunningServer, other_policy_dir: Path) -> None:
    fresh.post("/v1/policies", {"id": "v0001", "path": str(other_policy_dir)})
    fresh.chat("a", model="v0000")
    fresh.post("/v1/policies", {"id": "v0002", "path": str(other_policy_dir)})
    names = [model["id"] for model in fresh.request("GET", "/v1/models").body["data"]]
    assert names == ["v0000", "v0002"]
    assert fresh.request("POST", PATH, chat_request("a", model="v0001")).status == 404


def test_a_version_can_be_unloaded_once(fresh: RunningServer, other_policy_dir: Path) -> None:
    fresh.post("/v1/policies", {"id": "v0001", "path": str(other_policy_dir)})
    assert fresh.request("DELETE", "/v1/policies/v0001").body == {"id": "v0001", "deleted": True}
    assert fresh.request("DELETE", "/v1/policies/v0001").status == 404


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_missing_file_is_named(fresh: RunningServer, policy_dir: Path, tmp_path: Path, missing: str) -> None:
    shutil.copytree(policy_dir, tmp_path / "p")
    (tmp_path / "p" / missing).unlink()
    reply = fresh.request("POST", "/v1/policies", {"id": "v1", "path": str(tmp_path / "p")})
    assert reply.status == 400
    assert f"{tmp_path / 'p' / missing}: file not found" in reply.body["error"]["message"]


def damage_architecture(path: Path) -> None:
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**config, "model_type": "gpt2"}))


def damage_shape(path: Path) -> None:
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps({**config, "intermediate_size": 7}))


def damage_bytes(path: Path) -> None:
    data = (path / "model.safetensors").read_bytes()
    (path / "model.safetensors").write_bytes(data[: len(data) // 2])


def damage_number(path: Path) -> None:
    tensors = load_file(path / "model.safetensors")
    tensors["model.norm.weight"][3] = torch.nan
    save_file(tensors, path / "model.safetensors")


def damage_tokenizer(path: Path) -> None:
    (path / "tokenizer.json").write_text("{}")


@pytest.mark.parametrize(
    ("damage", "names"),
    [
        (damage_architecture, "gpt2"),
        (damage_shape, "gate_proj"),
        (damage_bytes, "model.safetensors"),
        (damage_number, "not finite"),
        (damage_tokenizer, "tokenizer.json"),
    ],
)
def test_a_damaged_directory_is_refused(
    fresh: RunningServer, policy_dir: Path, tmp_path: Path, damage: object, names: str
) -> None:
    shutil.copytree(policy_dir, tmp_path / "p")
    damage(tmp_path / "p")  # type: ignore[operator]
    reply = fresh.request("POST", "/v1/policies", {"id": "v1", "path": str(tmp_path / "p")})
    assert reply.status == 400
    assert names in reply.body["error"]["message"]
    assert fresh.chat("a")["choices"]


def test_an_overfull_queue_answers_429_and_everyone_else_is_served(fresh: RunningServer) -> None:
    body = chat_request("a", max_tokens=100, temperature=0.0)
    with ThreadPoolExecutor(24) as pool:
        replies = list(pool.map(lambda _: fresh.request("POST", PATH, body), range(24)))
    refused = [reply for reply in replies if reply.status == 429]
    assert refused
    assert all(reply.headers["retry-after"] == "1" for reply in refused)
    served = [reply for reply in replies if reply.status == 200]
    assert len(served) == 24 - len(refused) >= 4
    assert len({tuple(ids(reply.body)) for reply in served}) == 1


def test_a_client_that_leaves_frees_its_row(fresh: RunningServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", fresh.port)
    # Greedy from a random policy: it runs into the context's end, unless it is cancelled.
    body = json.dumps(chat_request("a", n=64, max_tokens=250, temperature=0.0))
    connection.request("POST", PATH, body, {"content-type": "application/json"})
    until(lambda: fresh.inner.scheduler.running() > 0)
    connection.close()
    until(lambda: fresh.inner.scheduler.running() == 0 and fresh.inner.scheduler.waiting() == 0)
    assert fresh.inner.scheduler.counters().completion_tokens < 64 * 250
    assert fresh.chat("a")["choices"]


def test_a_failure_of_the_model_is_a_500_and_not_the_end(fresh: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object, **_named: object) -> None:
        raise RuntimeError("out of luck")

    with monkeypatch.context() as patch:
        patch.setattr("policy_server.batch.choose", broken)
        reply = fresh.request("POST", PATH, chat_request("a"))
        assert reply.status == 500
        assert "out of luck" in reply.body["error"]["message"]
    assert fresh.chat("a")["choices"]


def test_the_cache_of_a_version_out_of_use_is_let_go(fresh: RunningServer, other_policy_dir: Path) -> None:
    fresh.post("/v1/policies", {"id": "v0001", "path": str(other_policy_dir)})
    fresh.chat("a", model="v0000")
    fresh.chat("a", model="v0001")
    until(lambda: fresh.inner.scheduler.policies() == {"v0001"})


def test_threads_of_other_clients_are_not_held_up_by_a_long_answer(fresh: RunningServer) -> None:
    long = threading.Thread(target=lambda: fresh.chat("a", max_tokens=240, temperature=0.0))
    long.start()
    until(lambda: fresh.inner.scheduler.running() > 0)
    fresh.chat("b", max_tokens=2)
    assert long.is_alive()
    long.join()
