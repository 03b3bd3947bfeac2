"""How the sequences of one micro-batch lie in one packed row, and how attention finds them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .plan import bucket_lengths


@dataclass(frozen=True)
class Bucket:
    """Neighbouring sequences of nearly equal length that share one padded attention call.

    `start`..`stop` are their token positions in the packed row, `slots` (stop - start,) the same tokens' places in the
    padded (rows * width) grid.
    """

    start: int
    stop: int
    rows: int
    width: int
    slots: Tensor


@dataclass(frozen=True)
class PackedLayout:
    """Boundaries of the packed sequences: `offsets` (S + 1,) int32 cumulative lengths, and the buckets."""

    offsets: Tensor
    longest: int
    buckets: tuple[Bucket, ...]

    @staticmethod
    def of(lengths: Sequence[int], device: torch.device) -> PackedLayout:
        """Layout of sequences that are packed in the order of `lengths` (falling)."""
        offsets = [0]
        for length in lengths:
            offsets.append(offsets[-1] + length)
        buckets = tuple(
            _bucket(lengths[run.start : run.stop], offsets[run.start], device) for run in bucket_lengths(lengths)
        )
        return PackedLayout(torch.tensor(offsets, dtype=torch.int32, device=device), max(lengths), buckets)


def _bucket(lengths: Sequence[int], start: int, device: torch.device) -> Bucket:
    width = max(lengths)
    slots = torch.cat([torch.arange(length) + row * width for row, length in enumerate(lengths)])
    return Bucket(start, start + sum(lengths), len(lengths), width, slots.to(device))
