"""Pattern Recognition: shorten runs of equal signs."""

from __future__ import annotations

import re
from random import Random

from .base import Constants, Family, Slip, View, boxed, worked
from .skeleton import single_turn
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """More and longer runs with the level."""
    return {"runs": (2, 2, 3, 3, 4, 5)[level - 1] + rng.randint(0, 1), "longest": (3, 4, 4, 5, 6, 6)[level - 1]}


def write(size: Constants, style: Style) -> str:
    """The program that shows the signs one by one and asks for each run and its length."""
    words = style.phrase("count runs of", "pack the")
    length = f"{style.rng}.randint(1, {size['longest']})"
    signs = f'{style.rng}.sample("ABCDEFGH", {size["runs"]})'
    setup = [f"self.xs = [(c, {length}) for c in {signs}]"]
    ask = f'"{words} {style.noun}:" + "".join((" " + c) * k for c, k in self.xs)'
    return single_turn(style, "Runs", setup, ask, '"".join(f"{c}{k}" for c, k in self.xs)')


def runs_of(view: View) -> list[tuple[str, int]]:
    """The runs of an observation: sign and length."""
    signs = "".join(view.observation.split(":")[-1].split())
    return [(match[0][0], len(match[0])) for match in re.finditer(r"(.)\1*", signs)]


def expert(view: View, slip: Slip) -> str:
    """Counts every run up, then writes the lengths."""
    steps, answer = [], ""
    for sign, length in runs_of(view):
        counted = max(1, length + slip.rng.choice((-1, 1))) if slip.happens() else length
        steps.append(sign + "".join(str(k) for k in range(1, counted + 1)))
        answer += f"{sign}{counted}"
    return worked(steps, answer)


def naive(view: View, slip: Slip) -> str:
    """The lengths by eye: right for the short runs, a guess for the others."""
    return boxed("".join(f"{sign}{length if length < 3 else slip.rng.randint(3, 6)}" for sign, length in runs_of(view)))


FAMILY = Family(
    name="runs",
    skill="Pattern Recognition",
    title="Runs",
    hints=("count up along each run", "number the signs of every run"),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: len(observation.split(":")[-1].split()),
)
