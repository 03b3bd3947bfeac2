"""The formulas of the method, written a second time from its text and not from the TypeScript, with exact fractions.

Reads a JSON list of {"formula", "input"} and writes the list of results; `formulas.test.ts` sends random inputs.
Only the standard library; Python 3.10.
"""

from __future__ import annotations

import hashlib
import json
import math
import statistics
import sys
from fractions import Fraction
from typing import Any


def clamp(value: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """`value` within [low, high]."""
    return max(low, min(high, value))


def episode_return(rewards: list[float], terminated: bool, scoring: str) -> float:
    """M7: the final reward within [-1, 1] if the program terminated, else 0; M21: or the sum of all, within [-1, 1]."""
    if scoring == "sum":
        return float(clamp(sum(map(Fraction, rewards), Fraction(0)), Fraction(-1), Fraction(1)))
    if not terminated or not rewards:
        return 0.0
    return float(clamp(Fraction(rewards[-1]), Fraction(-1), Fraction(1)))


def regret(pairs: list[list[float]]) -> float | None:
    """Mean hinted return minus mean unhinted return, at least 0 (M8); unknown without pairs."""
    if not pairs:
        return None
    hinted = sum(Fraction(pair[0]) for pair in pairs) / len(pairs)
    unhinted = sum(Fraction(pair[1]) for pair in pairs) / len(pairs)
    return float(max(Fraction(0), hinted - unhinted))


def plateau(rate: float) -> float:
    """1 on [0.4, 0.6], linear to 0 over 0.25 on each side."""
    if 0.4 <= rate <= 0.6:
        return 1.0
    edge = 0.4 if rate < 0.4 else 0.6
    return max(0.0, 1.0 - abs(rate - edge) / 0.25)


def blend(regret_value: float, rate: float) -> float:
    """`0.4 clip(regret/0.15, 0, 1) + 0.6 plateau(w)`."""
    return 0.4 * min(1.0, max(0.0, regret_value / 0.15)) + 0.6 * plateau(rate)


def designer_advantages(designs: list[list[Any]], scale: float) -> list[float]:
    """M11: (raw - mean over the skill's designs) times scale."""
    groups: dict[str, list[Fraction]] = {}
    for skill, raw in designs:
        groups.setdefault(skill, []).append(Fraction(raw))
    means = {skill: sum(values) / len(values) for skill, values in groups.items()}
    return [float((Fraction(raw) - means[skill]) * Fraction(scale)) for skill, raw in designs]


def designer_scale(maximum: float, episodes: int, samples: int, window: int) -> float:
    """M11: min(maximum, agent episodes / designer samples times R)."""
    return float(min(Fraction(maximum), Fraction(episodes, samples) * window))


def group_advantages(returns: list[float], kind: str, planned: int) -> list[float] | str:
    """Return minus group mean, or its z-score; groups under half of the plan, or without spread, teach nothing."""
    if len(returns) < 2 or 2 * len(returns) < planned:
        return "short"
    if max(returns) - min(returns) <= 1e-12:
        return "zero-spread"
    mean = sum(map(Fraction, returns), Fraction(0)) / len(returns)
    divisor = statistics.pstdev(returns) if kind == "zscore" else 1.0
    return [float(Fraction(value) - mean) / divisor for value in returns]


def next_level(level: float, rate: float, mean: float) -> float:
    """M17 and M15: half a step up above 0.6, down below 0.4, within [1, 6]; a fall ends half a step below the mean."""
    if rate > 0.6:
        return min(6.0, level + 0.5)
    if rate < 0.4:
        fallen = max(1.0, level - 0.5)
        return fallen if fallen >= mean - 0.5 else max(fallen, min(level, mean - 0.5))
    return level


def wilson(successes: int, trials: int) -> list[float]:
    """Roots of (p - k/n)^2 = z^2 p (1 - p) / n for z = 1.96, by the quadratic formula."""
    z, rate = 1.96, successes / trials
    a, b, c = 1 + z * z / trials, -(2 * rate + z * z / trials), rate * rate
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return [max(0.0, (-b - root) / (2 * a)), min(1.0, (-b + root) / (2 * a))]


def derive_seed(parts: list[Any]) -> int:
    """First four bytes of SHA-256 over the parts as compact JSON."""
    text = json.dumps(parts, separators=(",", ":"), ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:4], "big")


FORMULAS = {
    function.__name__: function
    for function in (
        episode_return,
        regret,
        plateau,
        blend,
        designer_advantages,
        designer_scale,
        group_advantages,
        next_level,
        wilson,
        derive_seed,
    )
}


if __name__ == "__main__":
    json.dump([FORMULAS[case["formula"]](*case["input"]) for case in json.load(sys.stdin)], sys.stdout)
