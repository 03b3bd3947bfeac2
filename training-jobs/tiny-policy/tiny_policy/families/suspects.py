"""Causal Inference, several turns: find the one cause by testing ranges of suspects."""

from __future__ import annotations

from math import ceil, log2
from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers
from .skeleton import INDENT, many_turns
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """More suspects with the level; as many tests as halving needs, and one to name the cause."""
    count = rng.randint((4, 6, 9, 13, 20, 30)[level - 1], (5, 8, 12, 19, 29, 48)[level - 1])
    return {"count": count, "turns": ceil(log2(count)) + 1}


def write(size: Constants, style: Style) -> str:
    """The program that says whether the cause lies in a tested range."""
    found = style.found
    words = style.phrase("one of the", "which of the")
    setup = [
        f"self.a = {style.rng}.randint(10, 40)",
        f"self.x = self.a + {style.rng}.randint(1, {size['count']})",
        f"self.t = {size['turns']}",
    ]
    step = [
        "self.t -= 1",
        f'{found} = re.findall(r"boxed\\{{(\\d+)-(\\d+)\\}}", action)',
        f"if not {found}:",
        f'{INDENT}return "bad", 0.0, True, False, {{}}',
        f"a, b = map(int, {found}[-1])",
        "if a == b == self.x:",
        f'{INDENT}return "cause", 1.0, True, False, {{}}',
        'return "on" if a <= self.x <= b else "off", 0.0, self.t < 1, False, {}',
    ]
    ask = f'f"{words} {style.noun} above {{self.a}} below {{self.a + {size["count"] + 1}}} is the cause, test some"'
    return many_turns(style, "Switch", size["turns"], setup, ask, 'f"{self.x}-{self.x}"', step)


def remaining(view: View) -> tuple[int, int]:
    """The range of suspects that the tests so far leave."""
    low, high = numbers(view.first)[:2]
    low, high = low + 1, high - 1
    replies = [turn.observation for turn in view.past[1:]] + [view.observation]
    for turn, reply in zip(view.past, replies, strict=False):
        a, b = numbers(turn.action)[-2:]
        if reply == "on":
            low, high = max(low, a), min(high, b)
        elif a <= low:
            low = max(low, b + 1)
        elif b >= high:
            high = min(high, a - 1)
    return low, max(low, high)


def expert(view: View, slip: Slip) -> str:
    """Writes who is left and tests the lower half."""
    low, high = remaining(view)
    middle = min(high, max(low, slip((low + high) // 2)))
    return f"{low}-{high} {boxed(f'{low}-{middle}')}"


def naive(view: View, slip: Slip) -> str:
    """Tests any one suspect."""
    low, high = numbers(view.first)[:2]
    guess = slip.rng.randint(low + 1, high - 1)
    return boxed(f"{guess}-{guess}")


def extent(observation: str) -> float:
    """How many suspects there are."""
    low, high = [*numbers(observation), 0, 0][:2]
    return high - low - 1


FAMILY = Family(
    name="suspects",
    skill="Causal Inference",
    title="Switch",
    hints=("test half of those that are left", "keep who is left and split them in half"),
    turns=7,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=extent,
)
