"""Logical Deduction, several turns: find a number from higher and lower."""

from __future__ import annotations

from math import ceil, log2
from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers
from .skeleton import INDENT, many_turns
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """A wider range with the level; as many guesses as halving needs."""
    width = rng.randint((8, 12, 18, 28, 40, 60)[level - 1], (11, 17, 27, 39, 59, 90)[level - 1])
    return {"width": width, "turns": ceil(log2(width))}


def write(size: Constants, style: Style) -> str:
    """The program that answers up or down."""
    found = style.found
    words = style.phrase("find the", "guess the")
    start = style.number if 2 <= style.number <= 9 else 3
    setup = [
        f"self.a = {style.rng}.randint({start}, 40)",
        f"self.x = self.a + {style.rng}.randint(1, {size['width']})",
        f"self.t = {size['turns']}",
    ]
    step = [
        "self.t -= 1",
        f'{found} = re.findall(r"boxed\\{{(\\d+)\\}}", action)',
        f"if not {found}:",
        f'{INDENT}return "bad", 0.0, True, False, {{}}',
        f"x = int({found}[-1])",
        "if x == self.x:",
        f'{INDENT}return "yes", 1.0, True, False, {{}}',
        'return "up" if x < self.x else "down", 0.0, self.t < 1, False, {}',
    ]
    ask = f'f"{words} {style.noun} above {{self.a}} below {{self.a + {size["width"] + 1}}}"'
    return many_turns(style, "Guess", size["turns"], setup, ask, "str(self.x)", step)


def bounds(view: View) -> tuple[int, int]:
    """Smallest and largest number that is still possible; a range of one when the answers contradict each other."""
    low, high = numbers(view.first)[:2]
    low, high = low + 1, high - 1
    replies = [turn.observation for turn in view.past[1:]] + [view.observation]
    for turn, reply in zip(view.past, replies, strict=False):
        guess = numbers(turn.action)[-1]
        low, high = (max(low, guess + 1), high) if reply == "up" else (low, min(high, guess - 1))
    return low, max(low, high)


def expert(view: View, slip: Slip) -> str:
    """Writes what is still possible and takes the middle."""
    low, high = bounds(view)
    guess = min(high, max(low, slip((low + high) // 2)))
    return f"{low}-{high} {boxed(guess)}"


def naive(view: View, slip: Slip) -> str:
    """Any number of the first range."""
    low, high = numbers(view.first)[:2]
    return boxed(slip.rng.randint(low + 1, high - 1))


def extent(observation: str) -> float:
    """Width of the range."""
    low, high = [*numbers(observation), 0, 0][:2]
    return high - low - 1


FAMILY = Family(
    name="guess",
    skill="Logical Deduction",
    title="Guess",
    hints=("keep what is still possible and take the middle", "halve the range each time"),
    turns=8,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=extent,
)
