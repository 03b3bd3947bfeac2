"""Batched sampling says what the model says to each prompt alone."""

from __future__ import annotations

import pytest
import torch
from tiny_policy.model import fresh_model
from tiny_policy.sampling import MOST_PADDING, Sampler, batches, sample
from transformers import Qwen3ForCausalLM

END = 1


@pytest.fixture(scope="module")
def model() -> Qwen3ForCausalLM:
    return fresh_model(40, 0, END, 3).double().eval()


def greedy(most: int) -> Sampler:
    return Sampler(most, END, 0.0, torch.Generator())


def prompts() -> list[list[int]]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(2, 40, (length,), generator=generator).tolist() for length in (3, 9, 4, 30, 3, 17)]


def test_a_batch_gives_what_each_prompt_gives_alone(model: Qwen3ForCausalLM) -> None:
    together = sample(model, prompts(), greedy(12))
    for prompt, completion in zip(prompts(), together, strict=True):
        (alone,) = sample(model, [prompt], greedy(12))
        assert completion.tokens == alone.tokens
        assert completion.logprobs == pytest.approx(alone.logprobs, abs=1e-6)


def test_log_probabilities_are_those_of_a_plain_forward_pass(model: Qwen3ForCausalLM) -> None:
    sampler = Sampler(8, END, 0.7, torch.Generator().manual_seed(4))
    for prompt, completion in zip(prompts(), sample(model, prompts(), sampler), strict=True):
        row = torch.tensor([prompt + completion.tokens])
        scores = torch.log_softmax(model(row).logits[0] / 0.7, -1)[len(prompt) - 1 : -1]
        expected = scores.gather(-1, row[0, len(prompt) :, None])[:, 0].tolist()
        assert completion.logprobs == pytest.approx(expected, abs=1e-5)


def test_completions_stop_at_the_end_token_or_the_limit(model: Qwen3ForCausalLM) -> None:
    sampler = Sampler(30, END, 3.0, torch.Generator().manual_seed(5))
    for completion in sample(model, prompts() * 4, sampler):
        assert END not in completion.tokens[:-1]
        assert completion.tokens[-1] == END or len(completion.tokens) == 30


def test_batches_hold_every_prompt_once_and_little_padding() -> None:
    rows = [[0] * length for length in (5, 90, 30, 31, 7, 200)]
    found = list(batches(rows))
    assert sorted(index for batch in found for index in batch) == list(range(6))
    assert all(len(rows[batch[-1]]) - len(rows[batch[0]]) <= MOST_PADDING for batch in found)
