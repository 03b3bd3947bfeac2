"""Which sample is trained in which step, and which sequences travel together: pure functions of ids and lengths."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from .samples import ROLES, TrainingSample


def deal_steps(samples: Sequence[TrainingSample], epochs: int, steps_per_epoch: int, seed: int) -> list[list[int]]:
    """Indices of the samples of each optimizer step, epoch after epoch.

    Every epoch sees each sample once. Each role is dealt like a pack of cards, so that every step holds the same share
    of both roles (to within one sample) and the designer's few programs never crowd one step. The order inside an epoch
    is by hash of (seed, epoch, id), so it does not depend on the order of the lines in the batch. Steps without samples
    (more steps than samples) are left out.
    """
    steps: list[list[int]] = []
    for epoch in range(epochs):
        hands: list[list[int]] = [[] for _ in range(steps_per_epoch)]
        cards = [i for role in ROLES for i in _shuffled(samples, role, epoch, seed)]
        for position, index in enumerate(cards):
            hands[position % steps_per_epoch].append(index)
        steps.extend(hand for hand in hands if hand)
    return steps


def _shuffled(samples: Sequence[TrainingSample], role: str, epoch: int, seed: int) -> list[int]:
    mine = [i for i, sample in enumerate(samples) if sample.role == role]
    return sorted(mine, key=lambda i: hashlib.sha256(f"{seed}/{epoch}/{samples[i].id}".encode()).digest())


def pack_micro_batches(lengths: Sequence[int], max_tokens: int) -> list[list[int]]:
    """Positions of `lengths` grouped so that no group holds more than `max_tokens` tokens.

    Longest first: a batch that does not fit into memory fails in its first second, and neighbours have similar lengths,
    which is what makes attention over a group cheap (`attention.py`). A single longer sequence travels alone.
    """
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    groups: list[list[int]] = []
    room = 0
    for i in order:
        if lengths[i] > room:
            groups.append([])
            room = max_tokens
        groups[-1].append(i)
        room -= lengths[i]
    return groups


def bucket_lengths(lengths: Sequence[int], slack: float = 1.125) -> list[range]:
    """Runs of neighbours that may share one padded attention call: in each, longest <= slack * shortest.

    Only attention is padded, and only by this much; all other layers see the packed tokens. `lengths` must fall.
    """
    runs: list[range] = []
    start = 0
    for i in range(1, len(lengths) + 1):
        if i == len(lengths) or lengths[start] > slack * lengths[i]:
            runs.append(range(start, i))
            start = i
    return runs


def share_ranks(lengths: Sequence[int], ranks: int, tokens_per_square: float = 4096.0) -> list[list[int]]:
    """Positions of `lengths` for each rank, so that ranks finish a step at about the same time.

    Longest processing time first over the cost n + n²/`tokens_per_square` (linear layers and attention; 4,096 is where
    the two are about equal for a model of a few thousand hidden units).
    """
    shares: list[list[int]] = [[] for _ in range(ranks)]
    loads = [0.0] * ranks
    for i in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        rank = loads.index(min(loads))
        shares[rank].append(i)
        loads[rank] += lengths[i] + lengths[i] ** 2 / tokens_per_square
    return shares
