"""Conversations as token sequences with loss masks, in batches of little padding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from .demonstrations import Conversation
from .tokenizer import Codec


@dataclass(frozen=True)
class Sequence:
    """Token ids and, of equal length, whether each is written by the assistant (and so learnt)."""

    tokens: list[int]
    learnt: list[bool]


def encode(codec: Codec, conversation: Conversation) -> Sequence:
    """A conversation as the policy will see it: role markers given, the assistant's text and end token learnt."""
    tokens: list[int] = []
    learnt: list[bool] = []
    for message in conversation:
        ids = codec.message(message)
        tokens += ids
        learnt += [message.role == "assistant"] * len(ids)
        learnt[-len(ids)] = False
    return Sequence(tokens, learnt)


def microbatches(sequences: Iterable[Sequence], budget: int) -> Iterator[list[Sequence]]:
    """Sequences sorted by length, cut so that a padded batch stays within `budget` tokens (or holds one sequence)."""
    batch: list[Sequence] = []
    for sequence in sorted(sequences, key=lambda each: len(each.tokens)):
        if batch and (len(batch) + 1) * len(sequence.tokens) > budget:
            yield batch
            batch = []
        batch.append(sequence)
    if batch:
        yield batch


def padded(batch: list[Sequence], pad: int) -> tuple[Tensor, Tensor]:
    """Inputs and labels of one microbatch, both (B, T); labels are -100 where nothing is learnt.

    Padding is on the right, where causal attention keeps it from mattering, so no attention mask is needed.
    """
    length = max(len(each.tokens) for each in batch)
    tokens = [each.tokens + [pad] * (length - len(each.tokens)) for each in batch]
    labels = [
        [token if learnt else -100 for token, learnt in zip(each.tokens, each.learnt, strict=True)]
        + [-100] * (length - len(each.tokens))
        for each in batch
    ]
    return torch.tensor(tokens), torch.tensor(labels)
