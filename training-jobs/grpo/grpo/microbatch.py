"""One micro-batch as tensors: packed tokens, and one entry per trained token. Nothing here is padded or masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from .layout import PackedLayout
from .samples import TrainingSample


@dataclass(frozen=True)
class TrainingSet:
    """All samples of the job, and where each one's trained tokens lie in vectors over all trained tokens."""

    samples: Sequence[TrainingSample]
    offsets: Sequence[int]
    newest_version: int
    """Samples of this policy version are fresh: the policy being trained wrote them."""

    @staticmethod
    def of(samples: Sequence[TrainingSample]) -> TrainingSet:
        """Number the trained tokens of the samples in their order."""
        offsets = [0]
        for sample in samples:
            offsets.append(offsets[-1] + sample.trained)
        return TrainingSet(samples, offsets, max((s.policy_version for s in samples), default=0))


@dataclass(frozen=True)
class MicroBatch:
    """S packed sequences of T tokens, N of them trained.

    The loss is computed on the N trained tokens alone: prompts and observations are selected away, not multiplied by
    zero, so nothing that stands there can reach a gradient.
    """

    sequences: int
    """S."""
    token_ids: Tensor
    """(1, T) int64."""
    position_ids: Tensor
    """(1, T) int64, from 0 in each sequence."""
    layout: PackedLayout
    predictors: Tensor
    """(N,) packed positions whose hidden state predicts a trained token: the token's own position minus one."""
    targets: Tensor
    """(N,) the trained token ids."""
    numbers: Tensor
    """(N,) each trained token's place in vectors over all trained tokens of the job."""
    inverse_temperature: Tensor
    """(N,)"""
    sampler_logprobs: Tensor
    """(N,) float64, nats."""
    advantages: Tensor
    """(N,) float64, the sample's advantage at each of its tokens."""
    coefficients: Tensor
    """(N,) float64, the token's share of the step's loss (`aggregation.py`)."""
    designer: Tensor
    """(N,) bool, false for the agent's tokens."""
    fresh: Tensor
    """(N,) bool, true where the sampler was the policy that is being trained."""

    @property
    def tokens(self) -> int:
        """T."""
        return self.token_ids.shape[1]


def build_micro_batch(
    data: TrainingSet, chosen: Sequence[int], token_share: Sequence[float], device: torch.device
) -> MicroBatch:
    """Pack the chosen samples, longest first.

    :param token_share: each chosen sample's share of the loss per trained token, in the order of `chosen`
    """
    share = dict(zip(chosen, token_share, strict=True))
    order = sorted(chosen, key=lambda i: (-data.samples[i].length, data.samples[i].id))
    picked = [data.samples[i] for i in order]
    trained = np.flatnonzero(np.concatenate([s.mask for s in picked]))
    tokens = np.concatenate([s.token_ids for s in picked])
    counts = [s.trained for s in picked]

    def spread(values: Sequence[float | bool], dtype: torch.dtype) -> Tensor:
        return torch.from_numpy(np.repeat(np.asarray(values), counts)).to(device=device, dtype=dtype)

    def move(values: npt.NDArray[Any]) -> Tensor:
        return torch.from_numpy(values).to(device)

    return MicroBatch(
        sequences=len(picked),
        token_ids=move(tokens).unsqueeze(0),
        position_ids=move(np.concatenate([np.arange(s.length) for s in picked])).unsqueeze(0),
        layout=PackedLayout.of([s.length for s in picked], device),
        predictors=move(trained - 1),
        targets=move(tokens[trained]),
        numbers=move(np.concatenate([np.arange(data.offsets[i], data.offsets[i + 1]) for i in order])),
        inverse_temperature=spread([1.0 / s.temperature for s in picked], torch.float64),
        sampler_logprobs=move(np.concatenate([s.logprobs for s in picked])[trained]),
        advantages=spread([s.advantage for s in picked], torch.float64),
        coefficients=spread([share[i] for i in order], torch.float64),
        designer=spread([s.role == "designer" for s in picked], torch.bool),
        fresh=spread([s.policy_version == data.newest_version for s in picked], torch.bool),
    )


def idle_micro_batch(device: torch.device) -> MicroBatch:
    """One token, nothing trained: what a rank computes while its peers have one micro-batch more."""
    nothing = torch.zeros(0, dtype=torch.float64, device=device)
    none = torch.zeros(0, dtype=torch.int64, device=device)
    no = torch.zeros(0, dtype=torch.bool, device=device)
    one = torch.zeros((1, 1), dtype=torch.int64, device=device)
    layout = PackedLayout.of([1], device)
    return MicroBatch(0, one, one, layout, none, none, none, nothing, nothing, nothing, nothing, no, no)
