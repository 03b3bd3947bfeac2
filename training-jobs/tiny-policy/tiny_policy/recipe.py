"""The settings of a warm start."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """Settings of a warm start. `step_tokens` and `microbatch_tokens` are in tokens, `learning_rate` is the peak,
    `middle_fraction` and `final_fraction` the shares of it that are left after half of the steps and after all.

    `workers` processes of one thread each share a step: less waiting than one process of two threads.
    `tokenizer_texts` conversations fit the tokenizer.
    """

    steps: int = 1000
    seed: int = 0
    step_tokens: int = 8_000
    microbatch_tokens: int = 1_500
    learning_rate: float = 4e-3
    warmup: int = 30
    middle_fraction: float = 0.623
    final_fraction: float = 0.02
    workers: int = 2
    checkpoint_every: int = 100
    tokenizer_texts: int = 6_000


def rate(recipe: Recipe, step: int) -> float:
    """Learning rate of a step: linear warm-up; linear decay to the middle of the run, then a steeper one to its end."""
    rise = min(1.0, (step + 1) / recipe.warmup)
    half, part = divmod(2 * step / recipe.steps, 1)
    start, end = (recipe.middle_fraction, recipe.final_fraction) if half else (1.0, recipe.middle_fraction)
    return recipe.learning_rate * rise * (start + (end - start) * part)
