"""From sums over tokens to the numbers of `metrics.jsonl` and `summary.json`: functions of the inputs, without times.

Names, units, formulas and healthy ranges: docs/trainer.md, "Metrics".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .objective import MAXIMA, SUMS


def step_row(
    step: int,
    sums: Sequence[float],
    maxima: Sequence[float],
    extra: dict[str, Any],
) -> dict[str, Any]:
    """One line of metrics.jsonl. Means are over trained tokens; a mean over nothing is None.

    :param sums: in the order of objective.SUMS
    :param maxima: in the order of objective.MAXIMA
    :param extra: what only the step knows (gradient norm, rate, counts, why it was skipped)
    """
    total = dict(zip(SUMS, sums, strict=True))
    top = dict(zip(MAXIMA, maxima, strict=True))
    tokens = {role: total[f"tokens:{role}"] for role in ("agent", "designer")}
    trained = sum(tokens.values())

    def mean(name: str) -> float | None:
        return ratio(total[name], trained)

    row = {
        "event": "step",
        "step": step,
        "loss": total["loss"],
        "surrogate": total["surrogate"],
        "lossShareByRole": {role: total[f"loss:{role}"] for role in tokens},
        "trainedTokens": {role: int(n) for role, n in tokens.items()},
        "entropyByRole": {role: ratio(total[f"entropy:{role}"], n) for role, n in tokens.items()},
        "kl": mean("kl"),
        "ratioMean": mean("ratio"),
        "ratioMax": top["ratio"] if trained else None,
        "clipFractionLow": mean("clippedLow"),
        "clipFractionHigh": mean("clippedHigh"),
        "clipFraction": ratio(total["clippedLow"] + total["clippedHigh"], trained),
        "importanceMean": mean("importance"),
        "importanceCapped": mean("importanceCapped"),
        "samplerGap": ratio(total["gap"], total["freshTokens"]),
        "samplerGapMax": top["gap"] if total["freshTokens"] else None,
        "freshFraction": mean("freshTokens"),
    }
    return {key: finite_only(value) for key, value in {**row, **extra}.items()}


def ratio(part: float, total: float) -> float | None:
    """Part / total, None when there is no total."""
    return part / total if total else None


def finite_only(value: Any) -> Any:
    """The value with every non-finite number replaced by None, since JSON has no NaN."""
    if isinstance(value, dict):
        return {key: finite_only(item) for key, item in value.items()}
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value


def mean_of(rows: Sequence[dict[str, Any]], key: str) -> float | None:
    """Mean of a metric over the steps that have it."""
    values = [row[key] for row in rows if row[key] is not None]
    return sum(values) / len(values) if values else None


def summary(policy_version: int, rows: Sequence[dict[str, Any]], samples: dict[str, int], done: bool) -> dict[str, Any]:
    """`summary.json`: means over the steps that were applied; None where there was none.

    :param done: the job ran its plan to the end (false when it gave up on non-finite steps or on the sampler gap)
    """
    applied = [row for row in rows if row["skipped"] is None]
    return {
        "policyVersion": policy_version,
        "steps": len(applied),
        "skippedSteps": len(rows) - len(applied),
        "samples": samples,
        "tokens": sum(row["tokens"] for row in applied),
        "loss": mean_of(applied, "loss"),
        "lossByRole": {role: mean_of(_role_rows(applied, role), "value") for role in ("agent", "designer")},
        "gradientNorm": mean_of(applied, "gradientNorm"),
        "samplerGap": mean_of(rows, "samplerGap"),
        "clipFraction": mean_of(applied, "clipFraction"),
        "status": "completed" if done and applied else "no-update",
    }


def _role_rows(rows: Sequence[dict[str, Any]], role: str) -> list[dict[str, Any]]:
    return [{"value": row["lossByRole"][role]} for row in rows]
