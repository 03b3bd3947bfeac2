"""The HTTP contract: shapes of answers, errors of every kind of bad input, limits."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from policy_server.arena import Arena
from policy_server.config import read_config
from policy_server.model import Model, Span
from policy_server.settings import Settings
from policy_server.weights import build_weights, read_tensors
from policy_server_testing.server import RunningServer, chat_request, running_server

CHAT, TEXT = "/v1/chat/completions", "/v1/completions"


def logprobs_of(body: Any, choice: int = 0) -> list[float]:
    return [entry["logprob"] for entry in body["choices"][choice]["logprobs"]["content"]]


def test_a_chat_completion_has_vllms_shape(server: RunningServer) -> None:
    body = server.chat("add 12 and 30", max_tokens=8)
    assert body["model"] == "v0000"
    assert body["object"] == "chat.completion"
    choice = body["choices"][0]
    assert choice["message"]["role"] == "assistant"
    assert len(choice["token_ids"]) == len(choice["logprobs"]["content"]) <= 8
    assert all(entry["logprob"] <= 0 and isinstance(entry["token"], str) for entry in choice["logprobs"]["content"])
    assert choice["finish_reason"] in ("stop", "length")
    usage = body["usage"]
    assert usage["prompt_tokens"] == len(body["prompt_token_ids"])
    assert usage["completion_tokens"] == len(choice["token_ids"])
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_ids_and_logprobs_come_only_when_asked_for(server: RunningServer) -> None:
    body = server.chat("x", logprobs=False, return_token_ids=False, max_tokens=4)
    assert "prompt_token_ids" not in body
    assert "token_ids" not in body["choices"][0]
    assert body["choices"][0]["logprobs"] is None


def test_logprobs_equal_a_direct_forward_after_temperature(server: RunningServer, policy_dir: Path) -> None:
    temperature = 1.7
    body = server.chat("sort the list first", temperature=temperature, max_tokens=20)
    tokens = body["prompt_token_ids"] + body["choices"][0]["token_ids"]
    config = read_config(policy_dir)
    model = Model(config, build_weights(config, read_tensors(policy_dir), torch.float64))
    span = Span(0, [0], [len(tokens)], tokens)
    logits = model.forward(Arena(config, torch.float64), span, all_positions=True)
    expected = torch.log_softmax(logits / temperature, dim=-1)
    prompt = len(body["prompt_token_ids"])
    for index, value in enumerate(logprobs_of(body)):
        assert value == pytest.approx(float(expected[prompt + index - 1, tokens[prompt + index]]), abs=1.1e-5)


def test_the_end_token_is_in_the_ids_and_not_in_the_text(server: RunningServer) -> None:
    # <|end|> has id 1 of 1000; so hot a policy draws nearly uniformly, 4,000 times.
    choices = server.chat("x", n=100, temperature=50.0, max_tokens=40)["choices"]
    stopped = [choice for choice in choices if choice["finish_reason"] == "stop"]
    assert stopped
    for choice in stopped:
        assert choice["token_ids"][-1] == 1
        assert 1 not in choice["token_ids"][:-1]
        assert "<|end|>" not in choice["message"]["content"]
        assert choice["logprobs"]["content"][-1]["token"] == "<|end|>"


def test_a_stop_string_ends_the_text_before_it_and_keeps_the_ids(server: RunningServer) -> None:
    whole = server.chat("a", max_tokens=30, seed=5)["choices"][0]
    text = whole["message"]["content"]
    stop = text[len(text) // 2 : len(text) // 2 + 2]
    cut = server.chat("a", max_tokens=30, seed=5, stop=[stop, "never this"])["choices"][0]
    assert cut["finish_reason"] == "stop"
    assert cut["message"]["content"] == text[: text.index(stop)]
    assert whole["token_ids"][: len(cut["token_ids"])] == cut["token_ids"]
    assert len(cut["token_ids"]) < len(whole["token_ids"])


def test_n_choices_are_the_single_choices_of_their_own_keys(server: RunningServer) -> None:
    three = server.chat("a", n=3, seed=11, max_tokens=12)["choices"]
    assert [choice["index"] for choice in three] == [0, 1, 2]
    assert len({tuple(choice["token_ids"]) for choice in three}) == 3
    five = server.chat("a", n=5, seed=11, max_tokens=12)["choices"]
    assert [c["token_ids"] for c in five[:3]] == [c["token_ids"] for c in three]


def test_a_request_without_a_seed_is_told_the_one_it_got(server: RunningServer) -> None:
    first = server.chat("a", seed=None, max_tokens=12)
    again = server.chat("a", seed=first["seed"], max_tokens=12)
    assert again["choices"] == first["choices"]
    assert server.chat("a", seed=None)["seed"] != first["seed"]


def test_a_text_completion_takes_ids_or_a_string(server: RunningServer) -> None:
    chat = server.chat("add 12 and 30", max_tokens=10)
    request = {"model": "v0000", "seed": 1, "max_tokens": 10, "logprobs": 1, "return_token_ids": True}
    by_ids = server.post(TEXT, {**request, "prompt": chat["prompt_token_ids"]})["choices"][0]
    by_text = server.post(TEXT, {**request, "prompt": "<|user|>add 12 and 30<|end|><|assistant|>"})["choices"][0]
    assert by_ids == by_text
    assert by_ids["token_ids"] == chat["choices"][0]["token_ids"]
    assert by_ids["prompt_token_ids"] == chat["prompt_token_ids"]
    assert by_ids["logprobs"]["token_logprobs"] == logprobs_of(chat)


def test_prompt_logprobs_agree_with_those_of_sampling(server: RunningServer) -> None:
    chat = server.chat("a", max_tokens=10)
    tokens = chat["prompt_token_ids"] + chat["choices"][0]["token_ids"]
    request = {"model": "v0000", "prompt": tokens, "max_tokens": 1, "prompt_logprobs": 0, "seed": 0}
    scored = server.post(TEXT, request)["choices"][0]["prompt_logprobs"]
    assert scored[0] is None
    assert len(scored) == len(tokens)
    assert scored[len(chat["prompt_token_ids"]) :] == pytest.approx(logprobs_of(chat), abs=1.1e-5)


def test_max_tokens_is_clamped_to_the_context(server: RunningServer) -> None:
    prompt = [5] * 250
    body = server.post(TEXT, {"model": "v0000", "prompt": prompt, "max_tokens": 1000, "seed": 2})
    assert 1 <= body["usage"]["completion_tokens"] <= 6


def test_models_and_health(server: RunningServer) -> None:
    models = server.request("GET", "/v1/models").body
    assert [model["id"] for model in models["data"]] == ["v0000"]
    before = server.request("GET", "/health").body
    server.chat("a", max_tokens=3)
    after = server.request("GET", "/health").body
    assert after["status"] == "ok"
    assert after["deterministic"] is True
    assert after["requests"] == before["requests"] + 1
    assert 1 <= after["completionTokens"] - before["completionTokens"] <= 3
    assert math.isfinite(after["tokensPerSecond"])


BAD: list[tuple[str, Any, int, str]] = [
    (CHAT, b"{", 400, "not JSON"),
    (CHAT, b"[]", 400, "body"),
    (CHAT, b"\xff\xfe", 400, "not JSON"),
    (CHAT, chat_request("a", model="v9"), 404, "v9"),
    (CHAT, chat_request("a", model=None), 400, "model"),
    (CHAT, chat_request("a", messages=[]), 400, "messages"),
    (CHAT, chat_request("a", messages="hello"), 400, "messages"),
    (CHAT, chat_request("a", messages=[{"role": "boss", "content": "x"}]), 400, "messages.0.role"),
    (CHAT, chat_request("a", messages=[{"role": "user", "content": None}]), 400, "messages.0.content"),
    (CHAT, chat_request("a", messages=[{"role": "user"}]), 400, "messages.0.content"),
    (CHAT, chat_request("a", temprature=1.0), 400, "did you mean 'temperature'"),
    (CHAT, chat_request("a", temperature=-0.1), 400, "temperature"),
    (CHAT, chat_request("a", temperature="1"), 400, "temperature"),
    (CHAT, chat_request("a", top_p=0.0), 400, "top_p"),
    (CHAT, chat_request("a", top_p=1.01), 400, "top_p"),
    (CHAT, chat_request("a", top_k=-2), 400, "top_k"),
    (CHAT, chat_request("a", n=0), 400, "n"),
    (CHAT, chat_request("a", n=257), 400, "n"),
    (CHAT, chat_request("a", max_tokens=0), 400, "max_tokens"),
    (CHAT, chat_request("a", max_tokens=1.5), 400, "max_tokens"),
    (CHAT, chat_request("a", seed=2**63), 400, "seed"),
    (CHAT, chat_request("a", stop=[""]), 400, "stop"),
    (CHAT, chat_request("a", stop=["x"] * 17), 400, "stop"),
    (CHAT, chat_request("a", stream=True), 400, "stream"),
    (CHAT, chat_request("x" * 4000), 400, "context"),
    (TEXT, {"model": "v0000", "prompt": []}, 400, "prompt"),
    (TEXT, {"model": "v0000", "prompt": ""}, 400, "prompt"),
    (TEXT, {"model": "v0000", "prompt": [1000]}, 400, "0..999"),
    (TEXT, {"model": "v0000", "prompt": [-1]}, 400, "prompt"),
    (TEXT, {"model": "v0000", "prompt": [[1]]}, 400, "prompt"),
    (TEXT, {"model": "v0000", "prompt": [5] * 256}, 400, "context"),
    (TEXT, {"model": "v0000", "prompt": "a", "prompt_logprobs": 2}, 400, "prompt_logprobs"),
    ("/v1/policies", {"id": "../x", "path": "/tmp"}, 400, "id"),
    ("/v1/policies", {"id": "v1"}, 400, "path"),
    ("/v1/nothing", {}, 404, "Not Found"),
]


@pytest.mark.parametrize(("path", "body", "status", "names"), BAD)
def test_bad_input_is_refused_by_name(server: RunningServer, path: str, body: Any, status: int, names: str) -> None:
    reply = server.request("POST", path, body)
    assert reply.status == status
    error = reply.body["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert names in error["message"]
    assert error["code"] == status


def test_a_wrong_method_and_a_wrong_type_are_refused(server: RunningServer) -> None:
    assert server.request("GET", CHAT).status == 405
    assert server.request("POST", CHAT, chat_request("a"), content_type="text/plain").status == 415


def test_nan_is_no_temperature(server: RunningServer) -> None:
    body = json.dumps(chat_request("a", temperature=math.nan)).encode()
    assert server.request("POST", CHAT, body).status == 400


def test_a_large_body_is_refused(policy_dir: Path) -> None:
    with running_server(Settings(policies=(("v0000", policy_dir),), max_body_bytes=2000)) as small:
        reply = small.request("POST", CHAT, chat_request("x" * 3000))
        assert reply.status == 413
        assert reply.body["error"]["code"] == 413


def test_a_policy_without_a_chat_template_serves_text_only(tmp_path: Path, policy_dir: Path) -> None:
    for source in policy_dir.iterdir():
        if source.name != "chat_template.jinja":
            (tmp_path / source.name).write_bytes(source.read_bytes())
    with running_server(Settings(policies=(("v0000", tmp_path),))) as plain:
        assert "no chat template" in plain.request("POST", CHAT, chat_request("a")).body["error"]["message"]
        assert plain.post(TEXT, {"model": "v0000", "prompt": "a"})["choices"]
