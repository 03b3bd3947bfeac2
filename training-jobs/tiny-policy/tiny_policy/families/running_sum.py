"""Mathematical Reasoning: add a row of numbers."""

from __future__ import annotations

from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers, worked
from .skeleton import single_turn
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """More and larger numbers with the level."""
    return {"count": level + 1 + rng.randint(0, 1), "high": (6, 9, 13, 20, 30, 40)[level - 1] + rng.randint(0, 3)}


def write(size: Constants, style: Style) -> str:
    """The program that asks for a total."""
    words = style.phrase("add the", "total of the")
    return single_turn(
        style,
        "Sum",
        [f"self.xs = [{style.rng}.randint(2, {size['high']}) for _ in range({size['count']})]"],
        f'"{words} {style.noun}: " + " ".join(map(str, self.xs))',
        "str(sum(self.xs))",
    )


def expert(view: View, slip: Slip) -> str:
    """Adds one number after the other and writes every total."""
    total, *rest = numbers(view.observation)
    work = str(total)
    for x in rest:
        total = slip(total + x)
        work += f"+{x}={total}"
    return worked([work], total)


def naive(view: View, slip: Slip) -> str:
    """The total at once."""
    return boxed(sum(numbers(view.observation)))


FAMILY = Family(
    name="running-sum",
    skill="Mathematical Reasoning",
    title="Sum",
    hints=("keep a running total", "write each running total"),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: len(numbers(observation)),
)
