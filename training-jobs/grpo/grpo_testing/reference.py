"""The objective once more, written from the formulas alone: NumPy, float64, one token at a time, no code of the
trainer.

Slow and plain on purpose. `docs/trainer.md` names the formulas; a difference between this file and the trainer is a
mistake in one of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Logits = npt.NDArray[np.float64]


def log_softmax(logits: Logits) -> Logits:
    """Log p of every token, from one row of logits."""
    top = float(logits.max())
    shifted: Logits = logits - top
    return shifted - math.log(float(np.exp(shifted).sum()))


def token_loss(
    row: Mapping[str, Any],
    at: int,
    logits: Logits,
    old: Logits,
    reference: Logits | None,
    settings: Mapping[str, float],
) -> float:
    """Loss of the token at position `at` of a sample, given the logits of the position before under three policies."""
    token, temperature = row["tokenIds"][at], row["temperature"]
    now = log_softmax(logits / temperature)
    before = log_softmax(old / temperature)[token]
    ratio = math.exp(now[token] - before)
    weight = min(math.exp(before - row["logprobs"][at]), settings["tis_cap"])
    bounded = min(max(ratio, 1 - settings["clip_low"]), 1 + settings["clip_high"])
    loss = -weight * min(ratio * row["advantage"], bounded * row["advantage"])
    if reference is not None:
        gap = log_softmax(reference / temperature)[token] - now[token]
        loss += settings["kl_coef"] * (math.exp(gap) - gap - 1)
    entropy = -sum(math.exp(x) * x for x in now)
    return float(loss - settings["entropy_coef"] * entropy)


def batch_loss(
    rows: Sequence[Mapping[str, Any]],
    logits: Sequence[Logits],
    old: Sequence[Logits],
    reference: Sequence[Logits] | None,
    settings: Mapping[str, Any],
) -> float:
    """Loss of a step. Each element of `logits`, `old` and `reference` is (T, V) for one sample."""
    roles = {"agent": settings["agent_weight"], "designer": settings["designer_weight"]}
    top, bottom = 0.0, 0.0
    for i, row in enumerate(rows):
        trained = [at for at, kept in enumerate(row["mask"]) if kept]
        losses = [
            token_loss(
                row, at, logits[i][at - 1], old[i][at - 1], reference[i][at - 1] if reference else None, settings
            )
            for at in trained
        ]
        if settings["aggregation"] == "sample-mean":
            top += roles[row["role"]] * row["weight"] * sum(losses) / len(losses)
            bottom += row["weight"]
        else:
            top += roles[row["role"]] * row["weight"] * sum(losses)
            bottom += row["weight"] * len(losses)
    return top / bottom
