"""The loss of a micro-batch and the sums from which a step's metrics are made."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from .config import TrainerConfig
from .microbatch import MicroBatch
from .surrogate import clipped_surrogate, k3_divergence, truncated_importance

# What a step adds up over its trained tokens; `metrics.py` turns the sums into means. `loss:*` are shares of the loss.
SUMS = (
    "loss",
    "surrogate",
    "loss:agent",
    "loss:designer",
    "tokens:agent",
    "tokens:designer",
    "entropy:agent",
    "entropy:designer",
    "kl",
    "ratio",
    "clippedLow",
    "clippedHigh",
    "importance",
    "importanceCapped",
    "gap",
    "freshTokens",
)
MAXIMA = ("ratio", "gap")


@dataclass(frozen=True)
class Scored:
    """Loss of one micro-batch (a scalar with a graph) and its statistics: `sums` as SUMS, `maxima` as MAXIMA."""

    loss: Tensor
    sums: Tensor
    maxima: Tensor


def score_micro_batch(
    batch: MicroBatch,
    logprobs: Tensor,
    entropy: Tensor,
    old: Tensor | None,
    reference: Tensor | None,
    config: TrainerConfig,
) -> Scored:
    """Σ over trained tokens of share · (importance · surrogate + kl_coef · k3 - entropy_coef · entropy).

    All tensors are (N,); the sum is taken in float64. `old` are the trainer's own log-probabilities before the first
    step; None says that this is the first step, where they equal `logprobs` and the ratio is exactly one.
    """
    logprobs, entropy = logprobs.double(), entropy.double()
    old = logprobs.detach() if old is None else old
    ratio = (logprobs - old).exp()
    importance = truncated_importance(old, batch.sampler_logprobs, config.tis_cap)
    surrogate, clipped = clipped_surrogate(ratio, batch.advantages, config.clip_low, config.clip_high)
    surrogate = importance * surrogate
    token_loss = surrogate
    kl = torch.zeros_like(logprobs)
    if reference is not None:
        kl = k3_divergence(logprobs, reference)
        token_loss = token_loss + config.kl_coef * kl
    if config.entropy_coef:
        token_loss = token_loss - config.entropy_coef * entropy
    shares = batch.coefficients * token_loss
    with torch.no_grad():
        capped = importance >= config.tis_cap
        rows = _rows(batch, shares, surrogate, entropy, kl, ratio, clipped, importance, capped, old)
        maxima = _maxima(batch, ratio, old)
    return Scored(shares.sum(), rows.sum(dim=1), maxima)


def _rows(
    batch: MicroBatch,
    shares: Tensor,
    surrogate: Tensor,
    entropy: Tensor,
    kl: Tensor,
    ratio: Tensor,
    clipped: Tensor,
    importance: Tensor,
    capped: Tensor,
    old: Tensor,
) -> Tensor:
    """(len(SUMS), N) in the order of SUMS."""
    zero = torch.zeros_like(ratio)
    designer, agent = batch.designer, ~batch.designer
    upwards = batch.advantages > 0
    return torch.stack(
        [
            shares,
            batch.coefficients * surrogate,
            shares.where(agent, zero),
            shares.where(designer, zero),
            agent.double(),
            designer.double(),
            entropy.where(agent, zero),
            entropy.where(designer, zero),
            kl,
            ratio,
            (clipped & ~upwards).double(),
            (clipped & upwards).double(),
            importance,
            capped.double(),
            (old - batch.sampler_logprobs).abs().where(batch.fresh, zero),
            batch.fresh.double(),
        ]
    )


def _maxima(batch: MicroBatch, ratio: Tensor, old: Tensor) -> Tensor:
    """(len(MAXIMA),), zeros for a micro-batch without tokens."""
    gap = (old - batch.sampler_logprobs).abs().where(batch.fresh, torch.zeros_like(old))
    return torch.stack([x.max() if x.numel() else x.new_zeros(()) for x in (ratio, gap)])
