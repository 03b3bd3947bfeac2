"""The settings of a warm start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Settings of a warm start. `step_tokens` and `microbatch_tokens` are in tokens, `learning_rate` is the peak and
    `final_fraction` the share of it that is left at the end.

    `workers` processes of one thread each share a step: less waiting than one process of two threads.
    `tokenizer_texts` conversations fit the tokenizer.
    """

    steps: int = 1800
    seed: int = 0
    step_tokens: int = 8_000
    microbatch_tokens: int = 1_500
    learning_rate: float = 4e-3
    warmup: int = 30
    final_fraction: float = 0.02
    workers: int = 2
    checkpoint_every: int = 100
    tokenizer_texts: int = 6_000


def rate(recipe: Recipe, step: int) -> float:
    """Learning rate of a step: linear warm-up, then linear decay over the whole run."""
    rise = min(1.0, (step + 1) / recipe.warmup)
    return recipe.learning_rate * rise * (1 - (1 - recipe.final_fraction) * step / recipe.steps)
