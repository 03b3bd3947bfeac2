"""Optimization: the largest total that a few of many values can make."""

from __future__ import annotations

from itertools import accumulate
from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers, worked
from .skeleton import single_turn
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """More values, and more of them to take, with the level."""
    return {
        "count": level + 2 + rng.randint(0, 1),
        "take": (2, 2, 2, 3, 3, 4)[level - 1],
        "high": (12, 16, 20, 25, 30, 40)[level - 1] + rng.randint(0, 4),
    }


def write(size: Constants, style: Style) -> str:
    """The program that asks for the best total."""
    words = style.phrase("best", "top")
    take = size["take"]
    return single_turn(
        style,
        "Best",
        [f"self.xs = {style.rng}.sample(range(5, {size['high'] + 1}), {size['count']})"],
        f'"{words} {take} of the {style.noun}, total: " + " ".join(map(str, self.xs))',
        f"str(sum(sorted(self.xs)[-{take}:]))",
    )


def chosen(view: View) -> list[int]:
    """The values to take, largest first."""
    take, *values = numbers(view.observation)
    return sorted(values, reverse=True)[:take]


def expert(view: View, slip: Slip) -> str:
    """Lists the values to take from the largest down, then adds them up."""
    best = chosen(view)
    totals = list(accumulate(best, lambda total, x: slip(total + x)))
    return worked([" ".join(map(str, best)), "sum", *totals[1:]], totals[-1])


def naive(view: View, slip: Slip) -> str:
    """The best total at once."""
    return boxed(sum(chosen(view)))


FAMILY = Family(
    name="best-few",
    skill="Optimization",
    title="Best",
    hints=("list the largest ones first, then add them", "sort from the top, then add"),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: len(numbers(observation)) - 1,
)
