"""The per-token objective. Each formula stands in the docstring of the function that computes it, and nowhere else."""

from __future__ import annotations

from torch import Tensor


def clipped_surrogate(ratio: Tensor, advantages: Tensor, low: float, high: float) -> tuple[Tensor, Tensor]:
    """-min(ratio·A, clip(ratio, 1 - low, 1 + high)·A) per token, and where the clip took the gradient away.

    Asymmetric clip (DAPO, arXiv:2503.14476): more room upwards keeps rare tokens from being frozen out.
    """
    free = ratio * advantages
    bound = ratio.clamp(1 - low, 1 + high) * advantages
    return -free.minimum(bound), bound < free


def truncated_importance(old: Tensor, sampler: Tensor, cap: float) -> Tensor:
    """min(exp(old - sampler), cap) per token, a constant: corrects for a sampler that is not the policy being trained.

    Covers both another numerical engine and the lag of designer samples that waited for their window's end (M12).
    """
    return (old - sampler).exp().clamp(max=cap).detach()


def k3_divergence(logprobs: Tensor, reference: Tensor) -> Tensor:
    """exp(r) - r - 1 with r = reference - logprob: per-token estimate of KL(policy ‖ reference), never negative.

    Source: J. Schulman, "Approximating KL divergence" (2020), estimator k3.
    """
    r = reference - logprobs
    return r.exp() - r - 1
