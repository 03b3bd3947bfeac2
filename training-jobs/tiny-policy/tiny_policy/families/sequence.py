"""Pattern Recognition: continue a sequence whose differences grow evenly."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers, worked
from .skeleton import INDENT, single_turn
from .style import Style

SHOWN = 4
"""How many terms the observation shows."""


def sizes(level: int, rng: Random) -> Constants:
    """Steps that grow, and a term further ahead, with the level."""
    return {
        "ahead": (1, 2, 2, 3, 4, 5)[level - 1] + (rng.randint(0, 1) if level > 1 else 0),
        "growth": (0, 0, 1, 1, 2, 3)[level - 1],
        "step": (4, 5, 5, 6, 7, 9)[level - 1],
    }


def write(size: Constants, style: Style) -> str:
    """The program that shows four terms and asks for a later one."""
    words = style.phrase("continue the", "extend the")
    setup = [
        f"x, d = {style.rng}.randint(2, 20), {style.rng}.randint(2, {size['step']})",
        f"k = {style.rng}.randint(0, {size['growth']})",
        "self.xs = []",
        f"for _ in range({SHOWN + size['ahead']}):",
        f"{INDENT}self.xs.append(x)",
        f"{INDENT}x += d",
        f"{INDENT}d += k",
    ]
    ask = f'f"{words} {style.noun} by {size["ahead"]}: " + " ".join(map(str, self.xs[:{SHOWN}]))'
    return single_turn(style, "Series", setup, ask, "str(self.xs[-1])")


def terms(view: View, slip: Slip) -> list[int]:
    """The terms after those shown, up to the one asked for."""
    ahead, *shown = numbers(view.observation)
    step = shown[-1] - shown[-2]
    growth = step - (shown[-2] - shown[-3])
    last, out = shown[-1], []
    for _ in range(ahead):
        step += growth
        last = slip(last + step)
        out.append(last)
    return out


def expert(view: View, slip: Slip) -> str:
    """The differences of the shown terms, then every term up to the one asked for."""
    shown = numbers(view.observation)[1:]
    steps = " ".join(f"+{b - a}" for a, b in pairwise(shown))
    following = terms(view, slip)
    return worked([steps, *following], following[-1])


def naive(view: View, slip: Slip) -> str:
    """The term asked for at once."""
    return boxed(terms(view, Slip(slip.rng, 0))[-1])


FAMILY = Family(
    name="sequence",
    skill="Pattern Recognition",
    title="Series",
    hints=(
        "write the steps between the terms, then go on term by term",
        "find the steps first and continue one at a time",
    ),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: (numbers(observation) or [0])[0],
)
