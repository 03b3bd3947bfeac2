"""Spatial Reasoning: where a walk on a grid ends."""

from __future__ import annotations

import re
from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers, worked
from .skeleton import INDENT, single_turn
from .style import Style

STEP = {"N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0)}


def sizes(level: int, rng: Random) -> Constants:
    """More and longer legs with the level."""
    return {"legs": (1, 2, 3, 3, 4, 5)[level - 1] + rng.randint(0, 1), "longest": (2, 3, 4, 5, 7, 9)[level - 1]}


def write(size: Constants, style: Style) -> str:
    """The program that asks for the final square."""
    words = style.phrase("walk the", "move the")
    start = style.number if 30 <= style.number <= 60 else 40
    setup = [
        f"x, y = {start}, {style.rng}.randint(30, 60)",
        f'ask = f"{words} {style.noun} from {{x}},{{y}}:"',
        f"for _ in range({size['legs']}):",
        f'{INDENT}d, k = {style.rng}.choice("NESW"), {style.rng}.randint(1, {size["longest"]})',
        f'{INDENT}ask += f" {{d}}{{k}}"',
        f'{INDENT}x += {{"E": k, "W": -k}}.get(d, 0)',
        f'{INDENT}y += {{"N": k, "S": -k}}.get(d, 0)',
    ]
    return single_turn(style, "Walk", setup, "ask", 'f"{x},{y}"', stored=True)


def positions(view: View, slip: Slip) -> list[str]:
    """Where the walk is after every leg, as `x,y`."""
    x, y = numbers(view.observation)[:2]
    out = []
    for direction, length in re.findall(r"\b([NESW])(\d+)", view.observation):
        dx, dy = STEP[direction]
        x, y = (slip(x + dx * int(length)), y) if dx else (x, slip(y + dy * int(length)))
        out.append(f"{x},{y}")
    return out


def expert(view: View, slip: Slip) -> str:
    """Every leg with the position after it."""
    legs = re.findall(r"\b[NESW]\d+", view.observation)
    trail = positions(view, slip)
    return worked([f"{leg}={position}" for leg, position in zip(legs, trail, strict=True)], trail[-1])


def naive(view: View, slip: Slip) -> str:
    """The final position at once."""
    return boxed(positions(view, Slip(slip.rng, 0))[-1])


FAMILY = Family(
    name="walk",
    skill="Spatial Reasoning",
    title="Walk",
    hints=("write the position after every move", "track the position move by move"),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: len(re.findall(r"[NESW]\d", observation)),
)
