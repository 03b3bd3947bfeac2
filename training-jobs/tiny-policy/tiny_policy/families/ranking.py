"""Logical Deduction: the whole order from pairs of neighbours."""

from __future__ import annotations

import re
from random import Random

from .base import Constants, Family, Slip, View, boxed, worked
from .skeleton import single_turn
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """One more thing to rank with every level."""
    return {"count": level + 2 + (rng.randint(0, 1) if level > 1 else 0)}


def write(size: Constants, style: Style) -> str:
    """The program that shows shuffled pairs and asks for the chain."""
    words = style.phrase("rank the", "order the")
    setup = [
        f'xs = {style.rng}.sample("ABCDEFGHK", {size["count"]})',
        'pairs = [a + ">" + b for a, b in zip(xs, xs[1:])]',
        f"{style.rng}.shuffle(pairs)",
    ]
    return single_turn(style, "Rank", setup, f'"{words} {style.noun}: " + " ".join(pairs)', '"".join(xs)', stored=True)


def pairs_of(view: View) -> list[tuple[str, str]]:
    """The pairs (greater, smaller) of an observation, as shown."""
    return [(a, b) for a, b in re.findall(r"\b(\w)>(\w)\b", view.observation)]


def expert(view: View, slip: Slip) -> str:
    """Finds the one that nothing is above, then follows the chain pair by pair."""
    below = dict(pairs_of(view))
    here = next(iter(set(below) - set(below.values())))
    chain, steps = here, []
    while here in below:
        steps.append(f"{here}>{below[here]}")
        here = below[here]
        chain += here
        if slip.happens():
            chain = chain[:-2] + chain[-1] + chain[-2]
    return worked(steps, chain)


def naive(view: View, slip: Slip) -> str:
    """The letters in the order in which they are first seen."""
    seen = dict.fromkeys(letter for pair in pairs_of(view) for letter in pair)
    return boxed("".join(seen))


FAMILY = Family(
    name="ranking",
    skill="Logical Deduction",
    title="Rank",
    hints=(
        "start with the one that is never on the right and follow the chain",
        "find the top one, then follow the chain",
    ),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: observation.count(">") + 1,
)
