"""Causal Inference: what a chain of events does to a value."""

from __future__ import annotations

import re
from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers, worked
from .skeleton import INDENT, single_turn
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """More events, and more kinds of them, with the level."""
    return {
        "events": level + rng.randint(0, 1),
        "kinds": (2, 2, 2, 3, 3, 4)[level - 1],
        **{f"gain{kind}": rng.choice((-1, 1)) * rng.randint(1 + level // 3, 3 + level) for kind in range(4)},
    }


def write(size: Constants, style: Style) -> str:
    """The program that gives the causes and a history and asks for the outcome."""
    words = style.phrase("the", "level of")
    kinds = "ABCD"[: size["kinds"]]
    rules = ", ".join(f'"{kind}": {size[f"gain{index}"]}' for index, kind in enumerate(kinds))
    start = style.number if 40 <= style.number <= 60 else 50
    setup = [
        f"gain = {{{rules}}}",
        f"x = {style.rng}.randint(40, {start + 20})",
        f'ask = f"{words} {style.noun} is {{x}}, causes {{gain}}, then"',
        f"for _ in range({size['events']}):",
        f"{INDENT}e = {style.rng}.choice(list(gain))",
        f'{INDENT}ask += " " + e',
        f"{INDENT}x += gain[e]",
    ]
    return single_turn(style, "Cause", setup, "ask", "str(x)", stored=True)


def gains_of(view: View) -> dict[str, int]:
    """What every kind of event adds."""
    return {kind: int(gain) for kind, gain in re.findall(r"'(\w)': (-?\d+)", view.observation)}


def values(view: View, slip: Slip) -> list[int]:
    """The value after every event."""
    gains = gains_of(view)
    value, out = numbers(view.observation)[0], []
    for event in view.observation.split("then")[-1].split():
        value = slip(value + gains[event])
        out.append(value)
    return out


def expert(view: View, slip: Slip) -> str:
    """Every event with what it adds and the value after it."""
    events = view.observation.split("then")[-1].split()
    after = values(view, slip)
    gains = gains_of(view)
    return worked([f"{event}{gains[event]:+d}={value}" for event, value in zip(events, after, strict=True)], after[-1])


def naive(view: View, slip: Slip) -> str:
    """The outcome at once."""
    return boxed(values(view, Slip(slip.rng, 0))[-1])


FAMILY = Family(
    name="effects",
    skill="Causal Inference",
    title="Cause",
    hints=("apply the causes one by one and note the value", "write the value after every event"),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: len(observation.split("then")[-1].split()),
)
