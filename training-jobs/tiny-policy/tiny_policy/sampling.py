"""Batched sampling with a KV cache, for the recipe's own measurements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import DynamicCache, Qwen3ForCausalLM

MOST_ROWS = 256
MOST_PADDING = 24
"""Prompts of one batch differ in length by at most this many tokens."""


@dataclass(frozen=True)
class Completion:
    """Sampled token ids (the end token included when it was reached) and their log-probabilities."""

    tokens: list[int]
    logprobs: list[float]


@dataclass(frozen=True)
class Sampler:
    """How to sample: longest completion in tokens, the token that ends one, temperature (0 is greedy), randomness."""

    most: int
    end: int
    temperature: float
    generator: torch.Generator


def choose(logits: Tensor, sampler: Sampler) -> tuple[Tensor, Tensor]:
    """One token a row, (B, V) → (B,), with its log-probability under the distribution that was sampled."""
    warm = sampler.temperature > 0
    scores = torch.log_softmax(logits / sampler.temperature if warm else logits, -1)
    token = torch.multinomial(scores.exp(), 1, generator=sampler.generator)[:, 0] if warm else scores.argmax(-1)
    return token, scores.gather(-1, token[:, None])[:, 0]


@torch.inference_mode()
def sample_batch(model: Qwen3ForCausalLM, prompts: list[list[int]], sampler: Sampler) -> list[Completion]:
    """Completions of prompts of similar lengths, padded on the left. Rows that are done leave the batch."""
    length = max(map(len, prompts))
    inputs = torch.tensor([[0] * (length - len(prompt)) + prompt for prompt in prompts])
    seen = torch.tensor([[0] * (length - len(prompt)) + [1] * len(prompt) for prompt in prompts])
    positions = (seen.cumsum(-1) - 1).clamp(min=0)
    cache = DynamicCache(config=model.config)
    live = list(range(len(prompts)))
    done = [Completion([], []) for _ in prompts]
    for _ in range(sampler.most):
        hidden = model.model(inputs, attention_mask=seen, position_ids=positions, cache=cache, use_cache=True)
        token, score = choose(model.lm_head(hidden.last_hidden_state[:, -1]), sampler)
        for row, value, logprob in zip(live, token.tolist(), score.tolist(), strict=True):
            done[row].tokens.append(value)
            done[row].logprobs.append(logprob)
        going = (token != sampler.end).nonzero()[:, 0]
        if len(going) == 0:
            break
        if len(going) < len(live):
            cache.batch_select_indices(going)
            token, seen, positions = token[going], seen[going], positions[going]
            live = [live[row] for row in going.tolist()]
        inputs = token[:, None]
        seen = torch.cat([seen, torch.ones_like(inputs)], -1)
        positions = positions[:, -1:] + 1
    return done


def batches(prompts: list[list[int]]) -> Iterator[list[int]]:
    """Indices of prompts, shortest first, in batches of similar lengths."""
    batch: list[int] = []
    for index in sorted(range(len(prompts)), key=lambda each: len(prompts[each])):
        padding = len(prompts[index]) - len(prompts[batch[0]]) if batch else 0
        if padding > MOST_PADDING or len(batch) == MOST_ROWS:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def sample(model: Qwen3ForCausalLM, prompts: list[list[int]], sampler: Sampler) -> list[Completion]:
    """Completions of any prompts, in the order of the prompts."""
    results: dict[int, Completion] = {}
    for batch in batches(prompts):
        group = sample_batch(model, [prompts[index] for index in batch], sampler)
        results.update(zip(batch, group, strict=True))
    return [results[index] for index in range(len(prompts))]
