"""Optimization: the cheapest of several plans whose costs add up."""

from __future__ import annotations

from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers, worked
from .skeleton import single_turn
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """More plans of larger parts with the level."""
    return {
        "plans": (2, 2, 3, 3, 4, 5)[level - 1] + rng.randint(0, 1),
        "high": (8, 10, 13, 17, 22, 30)[level - 1] + rng.randint(0, 3),
    }


def write(size: Constants, style: Style) -> str:
    """The program that asks for the lowest cost."""
    words = style.phrase("cheapest", "lowest")
    return single_turn(
        style,
        "Cost",
        [f"self.xs = [[{style.rng}.randint(5, {size['high']}) for _ in range(2)] for _ in range({size['plans']})]"],
        f'"{words} {style.noun}: " + " ".join("+".join(map(str, p)) for p in self.xs)',
        "str(min(map(sum, self.xs)))",
    )


def plans_of(view: View) -> list[list[int]]:
    """The parts of every plan."""
    return [numbers(plan) for plan in view.observation.split(": ")[-1].split()]


def expert(view: View, slip: Slip) -> str:
    """Every plan with its cost, then the lowest."""
    plans = plans_of(view)
    costs = [slip(sum(plan)) for plan in plans]
    return worked([f"{a}+{b}={cost}" for (a, b), cost in zip(plans, costs, strict=True)], min(costs))


def naive(view: View, slip: Slip) -> str:
    """The cost of any one plan."""
    return boxed(sum(slip.rng.choice(plans_of(view))))


FAMILY = Family(
    name="cheapest",
    skill="Optimization",
    title="Cost",
    hints=("add up each plan and then compare", "write every total, then take the least"),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: len(numbers(observation)),
)
