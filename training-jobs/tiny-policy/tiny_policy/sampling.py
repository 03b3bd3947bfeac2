"""Batched sampling with a KV cache, for the recipe's own measurements."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import DynamicCache, Qwen3ForCausalLM


@dataclass(frozen=True)
class Completion:
    """Sampled token ids (the end token included when it was reached) and their log-probabilities."""

    tokens: list[int]
    logprobs: list[float]


@torch.inference_mode()
def sample_equal(
    model: Qwen3ForCausalLM,
    prompts: list[list[int]],
    most: int,
    end: int,
    temperature: float,
    generator: torch.Generator,
) -> list[Completion]:
    """Completions of prompts that all have one length, so that no padding is needed. Temperature 0 is greedy."""
    cache = DynamicCache(config=model.config)
    inputs = torch.tensor(prompts)
    live = list(range(len(prompts)))
    tokens: list[list[int]] = [[] for _ in prompts]
    logprobs: list[list[float]] = [[] for _ in prompts]
    for _ in range(most):
        hidden = model.model(inputs, past_key_values=cache, use_cache=True).last_hidden_state[:, -1]
        chosen, scores = choose(model.lm_head(hidden), temperature, generator)
        keep: list[int] = []
        for row, (token, score) in enumerate(zip(chosen.tolist(), scores.tolist(), strict=True)):
            tokens[live[row]].append(token)
            logprobs[live[row]].append(score)
            if token != end:
                keep.append(row)
        if not keep:
            break
        if len(keep) < len(live):
            rows = torch.tensor(keep)
            cache.batch_select_indices(rows)
            chosen = chosen[rows]
            live = [live[row] for row in keep]
        inputs = chosen[:, None]
    return [Completion(*pair) for pair in zip(tokens, logprobs, strict=True)]


def choose(logits: Tensor, temperature: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """One token a row, (B, V) → (B,), with its log-probability under the distribution that was sampled."""
    scores = torch.log_softmax(logits / temperature if temperature > 0 else logits, -1)
    sampled = temperature > 0
    token = torch.multinomial(scores.exp(), 1, generator=generator)[:, 0] if sampled else scores.argmax(-1)
    return token, scores.gather(-1, token[:, None])[:, 0]


def sample(
    model: Qwen3ForCausalLM,
    prompts: list[list[int]],
    most: int,
    end: int,
    temperature: float,
    generator: torch.Generator,
) -> list[Completion]:
    """Completions of any prompts, at most `most` tokens each, in the order of the prompts."""
    by_length: dict[int, list[int]] = defaultdict(list)
    for index, prompt in enumerate(prompts):
        by_length[len(prompt)].append(index)
    results: dict[int, Completion] = {}
    for _, indices in sorted(by_length.items()):
        group = sample_equal(model, [prompts[index] for index in indices], most, end, temperature, generator)
        results.update(zip(indices, group, strict=True))
    return [results[index] for index in range(len(prompts))]
