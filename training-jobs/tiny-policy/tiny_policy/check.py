"""Measures a policy: validity, level following, both arms, regret, benchmark."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean

import torch

from .benchmark import read
from .checkpoint import load_policy
from .evaluate import Attempt, Policy, benchmark_returns, both_arms, designs, hints, level_shown
from .families import SKILLS
from .families.base import LEVELS
from .runner import Runner
from .validity import defect


@dataclass(frozen=True)
class Measured:
    """One valid design: level read back from the program (None if unknown), hint, mean returns of both arms."""

    attempt: Attempt
    shown: int | None
    hint: str
    hinted: float
    unhinted: float

    @property
    def regret(self) -> float:
        """Hinted minus unhinted mean return, not below 0."""
        return max(0.0, self.hinted - self.unhinted)


def mean(values: Iterable[float]) -> str:
    """Mean to two places, or a dash for none."""
    found = list(values)
    return f"{fmean(found):.2f}" if found else "-"


def measure(policy: Policy, runner: Runner, attempts: list[Attempt], seeds: int) -> tuple[list[Measured], Counter[str]]:
    """Validates, hints and plays designs; returns the valid ones and the defects of the others."""
    defects = [defect(runner, attempt.source) for attempt in attempts]
    valid = [attempt for attempt, found in zip(attempts, defects, strict=True) if found is None]
    words = hints(policy, [attempt.source for attempt in valid])
    arms = both_arms(policy, runner, [attempt.source for attempt in valid], words, seeds)
    measured = [
        Measured(attempt, level_shown(runner, attempt.source), hint, *returns)
        for attempt, hint, returns in zip(valid, words, arms, strict=True)
    ]
    return measured, Counter(found for found in defects if found is not None)


def line(name: str, attempts: list[Attempt], measured: list[Measured]) -> str:
    """One line of the table."""
    share = f"{len(measured)}/{len(attempts)}"
    returns = (mean(each.hinted for each in measured), mean(each.unhinted for each in measured))
    shown = mean(each.shown for each in measured if each.shown is not None)
    return f"{name:24}{share:>9}{returns[0]:>9}{returns[1]:>10}{mean(each.regret for each in measured):>9}{shown:>8}"


def table(attempts: list[Attempt], measured: list[Measured]) -> list[str]:
    """Results by requested level and by skill, and over all."""
    lines = [f"{'':24}{'valid':>9}{'hinted':>9}{'unhinted':>10}{'regret':>9}{'level':>8}"]
    for level in LEVELS:
        lines.append(
            line(
                f"level {level}",
                [attempt for attempt in attempts if attempt.level == level],
                [each for each in measured if each.attempt.level == level],
            )
        )
    for skill in SKILLS:
        lines.append(
            line(
                skill,
                [attempt for attempt in attempts if attempt.skill == skill],
                [each for each in measured if each.attempt.skill == skill],
            )
        )
    return [*lines, line("all", attempts, measured)]


def benchmark_table(policy: Policy, runner: Runner) -> list[str]:
    """Benchmark return by family and over all."""
    rows = read()
    returns = benchmark_returns(policy, runner, rows)
    by_family: dict[str, list[float]] = defaultdict(list)
    for row, value in zip(rows, returns, strict=True):
        by_family[row.id.rsplit("-", 1)[0]].append(value)
    parts = [f"{name} {' '.join(f'{value:.2f}' for value in values)}" for name, values in by_family.items()]
    count = sum(len(row.seeds) for row in rows)
    return [f"benchmark by level: {part}" for part in parts] + [f"benchmark, {count} instances: {fmean(returns):.3f}"]


def check(folder: Path, count: int, seeds: int, temperature: float, seed: int) -> None:
    """Prints the measurements of the policy in `folder`."""
    model, codec = load_policy(folder)
    policy = Policy(model, codec, torch.Generator().manual_seed(seed), temperature)
    with Runner() as runner:
        attempts = designs(policy, count, Random(seed))
        measured, defects = measure(policy, runner, attempts, seeds)
        print("\n".join(table(attempts, measured)))
        print("defects:", ", ".join(f"{name} {times}" for name, times in defects.most_common()) or "none")
        print("\n".join(benchmark_table(policy, runner)))
