"""Whether a program of the policy is a usable environment: the recipe's short form of the validation battery."""

from __future__ import annotations

from .families.base import boxed
from .runner import Runner

SEEDS = (11, 12, 13)
OPENING_SEEDS = range(11, 19)
"""More of them for the opening: small environments open alike on some seeds."""

TRIVIAL = ("", "no idea", boxed("0"), boxed("1"), boxed("abc"), boxed("7"))
"""Actions that must not win, repeated to the end of an episode."""

MOST_STEPS = 12


def won(runner: Runner, source: str, seed: int, actions: list[str]) -> bool | None:
    """Whether an episode with these actions (the last repeated) is won; None after a fault."""
    started = runner.reset(source, seed)
    if started is None:
        return None
    for index in range(MOST_STEPS):
        result = runner.step(started[0], actions[min(index, len(actions) - 1)])
        if result is None:
            return None
        if result["terminated"] or result["truncated"]:
            return bool(result["terminated"] and result["reward"] > 0.5)
    return None


def solved(runner: Runner, source: str, seed: int) -> bool:
    """Whether the program's own solution, boxed, wins."""
    started = runner.reset(source, seed)
    actions = runner.solution(started[0]) if started else None
    return actions is not None and won(runner, source, seed, [boxed(action) for action in actions]) is True


def defect(runner: Runner, source: str) -> str | None:
    """The first thing that is wrong with a program, in the battery's words; None for a usable one."""
    seen = set()
    for seed in OPENING_SEEDS:
        first, again = runner.reset(source, seed), runner.reset(source, seed)
        if first is None or again is None:
            return "load"
        if first[1] != again[1]:
            return "nondeterministic"
        seen.add(first[1])
    if len(seen) == 1:
        return "seed.ignored"
    if not all(solved(runner, source, seed) for seed in SEEDS):
        return "degenerate.unwinnable"
    for action in TRIVIAL:
        outcomes = [won(runner, source, seed, [action]) for seed in SEEDS]
        if None in outcomes:
            return "env.exception"
        if all(outcomes):
            return "degenerate.always_win"
    return None
