"""Finished jobs as response bodies, in vLLM's shape."""

from __future__ import annotations

import hashlib
from typing import Any

from .jobs import Completion, Job


def chat_body(job: Job, *, logprobs: bool, token_ids: bool) -> dict[str, Any]:
    """Body of /v1/chat/completions. Token ids and log-probabilities include the token that ends the turn."""
    choices = []
    for index, completion in enumerate(job.completions):
        choice: dict[str, Any] = {
            "index": index,
            "message": {"role": "assistant", "content": completion.text},
            "finish_reason": completion.finish_reason,
            "logprobs": {"content": _token_logprobs(completion)} if logprobs else None,
        }
        if token_ids:
            choice["token_ids"] = completion.tokens
        choices.append(choice)
    body = _envelope(job, "chat.completion", choices)
    if token_ids:
        body["prompt_token_ids"] = job.prompt
    return body


def text_body(job: Job, *, logprobs: bool, token_ids: bool) -> dict[str, Any]:
    """Body of /v1/completions; `prompt_logprobs` is there if the request asked for it."""
    choices = []
    for index, completion in enumerate(job.completions):
        choice: dict[str, Any] = {
            "index": index,
            "text": completion.text,
            "finish_reason": completion.finish_reason,
            "logprobs": _text_logprobs(completion) if logprobs else None,
        }
        if token_ids:
            choice |= {"token_ids": completion.tokens, "prompt_token_ids": job.prompt}
        if job.prompt_logprobs is not None:
            choice["prompt_logprobs"] = job.prompt_logprobs
        choices.append(choice)
    return _envelope(job, "text_completion", choices)


def _envelope(job: Job, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    written = sum(len(completion.tokens) for completion in job.completions)
    return {
        "id": _identity(job),
        "object": kind,
        "model": job.policy.id,
        "seed": job.seed,
        "choices": choices,
        "usage": {
            "prompt_tokens": len(job.prompt),
            "completion_tokens": written,
            "total_tokens": len(job.prompt) + written,
        },
    }


def _identity(job: Job) -> str:
    """An id that is a function of the request: the same request has the same response, byte for byte."""
    text = f"{job.policy.id}|{job.seed}|{job.prompt}|{job.params}|{job.max_tokens}|{job.choices}"
    return "cmpl-" + hashlib.sha256(text.encode()).hexdigest()[:24]


def _token_logprobs(completion: Completion) -> list[dict[str, Any]]:
    piece = completion.job.policy.codec.piece
    return [
        {"token": piece(token), "logprob": logprob}
        for token, logprob in zip(completion.tokens, completion.logprobs, strict=True)
    ]


def _text_logprobs(completion: Completion) -> dict[str, Any]:
    piece = completion.job.policy.codec.piece
    return {"tokens": [piece(token) for token in completion.tokens], "token_logprobs": completion.logprobs}
