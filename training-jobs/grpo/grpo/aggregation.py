"""M32: how token losses become one number. The only place that knows what a mean is taken over."""

from __future__ import annotations

from collections.abc import Sequence

from .samples import TrainingSample


def token_shares(samples: Sequence[TrainingSample], aggregation: str, role_weights: dict[str, float]) -> list[float]:
    """Share of each sample's every trained token in the loss of one step.

    With w the sample's weight, n its trained tokens, ρ its role's weight and sums over all samples of the step, both
    roles together:

    * `sample-mean`: ρ·w / (n · Σw), that is: mean over the tokens of a sample, then mean over samples. A designer's
      long program weighs as much as one agent sample.
    * `token-mean`: ρ·w / Σ(w·n): every token weighs the same, long programs drown the agent (tiny-policy trap 1).

    ρ multiplies the loss but not the normaliser, so doubling a role's weight doubles that role's gradient and leaves
    the
    other's alone. Shares are fixed before the step is cut into micro-batches, hence the loss cannot depend on the cut.
    """
    if aggregation == "sample-mean":
        total = sum(s.weight for s in samples)
        return [role_weights[s.role] * s.weight / (s.trained * total) for s in samples]
    total = sum(s.weight * s.trained for s in samples)
    return [role_weights[s.role] * s.weight / total for s in samples]
