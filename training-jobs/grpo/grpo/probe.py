"""A few sequences with the new weights' log-probabilities, so that publishing can ask the server for the same (M24)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from .microbatch import MicroBatch, TrainingSet, build_micro_batch
from .samples import ROLES, TrainingSample
from .step import Learner

SEQUENCES = 8
"""At most; half of them from each role if there are enough."""
LENGTH = 512
"""Tokens at most: the check compares weights, and a prefix shows a wrong weight as well as the whole."""
DIGITS = 6
"""Decimals kept: finer differences belong to the order of additions."""


def choose_probes(samples: Sequence[TrainingSample]) -> list[TrainingSample]:
    """The same few samples for the same batch whatever its order: by hash of id, alternating between the roles."""
    hands = [sorted((s for s in samples if s.role == role), key=_rank) for role in ROLES]
    dealt = [hand[i] for i in range(SEQUENCES) for hand in hands if i < len(hand)]
    return dealt[:SEQUENCES]


def _rank(sample: TrainingSample) -> bytes:
    return hashlib.sha256(sample.id.encode()).digest()


def probe_policy(learner: Learner, samples: Sequence[TrainingSample]) -> dict[str, Any]:
    """`probe.json`: token ids, and log-probability of each at temperature 1 (None for the first, which has no context).

    One sequence at a time, so that no neighbour can touch the numbers.
    """
    sequences = []
    for sample in choose_probes(samples):
        batch = _whole_sequence(sample, learner.world.device)
        with torch.no_grad():
            logprobs, _ = learner.forward(batch)
        values = [None, *(round(x, DIGITS) for x in logprobs.double().tolist())]
        sequences.append({"tokenIds": batch.token_ids[0].tolist(), "logprobs": values})
    return {"sequences": sequences}


def _whole_sequence(sample: TrainingSample, device: torch.device) -> MicroBatch:
    """The sample's beginning with every token but the first scored."""
    tokens = sample.token_ids[:LENGTH]
    mask = np.arange(len(tokens)) > 0
    every = TrainingSample(
        sample.id, sample.role, sample.group, tokens, mask, np.zeros(len(tokens)), 0.0, 1.0, 1.0, sample.policy_version
    )
    return build_micro_batch(TrainingSet.of([every]), [0], [0.0], device)
