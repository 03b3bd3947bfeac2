from __future__ import annotations

from policy_server_testing.server import RunningServer


def test_a_chat_completion_has_vllms_shape(server: RunningServer) -> None:
    body = server.chat("add 12 and 30", max_tokens=8)
    assert body["model"] == "v0000"
    choice = body["choices"][0]
    assert choice["message"]["role"] == "assistant"
    assert len(choice["token_ids"]) == len(choice["logprobs"]["content"]) <= 8
    assert all(entry["logprob"] <= 0 and isinstance(entry["token"], str) for entry in choice["logprobs"]["content"])
    assert choice["finish_reason"] in ("stop", "length")
    usage = body["usage"]
    assert usage["prompt_tokens"] == len(body["prompt_token_ids"])
    assert usage["completion_tokens"] == len(choice["token_ids"])
