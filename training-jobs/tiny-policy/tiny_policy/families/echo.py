"""Memory Recall, several turns: repeat a list that grows by one every turn."""

from __future__ import annotations

from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers
from .skeleton import INDENT, many_turns
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """A longer list with the level."""
    return {"count": level + 1 + (rng.randint(0, 1) if level > 1 else 0)}


def write(size: Constants, style: Style) -> str:
    """The program that adds an item a turn and wants the list so far."""
    found = style.found
    words = style.phrase("recall the", "remember the")
    count = size["count"]
    setup = [f"self.xs = [str({style.rng}.randint(10, 99)) for _ in range({count})]", "self.k = 1"]
    step = [
        f'{found} = action.partition("boxed{{")[2].split("}}")[0]',
        f'if {found} != " ".join(self.xs[:self.k]):',
        f'{INDENT}return "lost", 0.0, True, False, {{}}',
        f"if self.k == {count}:",
        f'{INDENT}return "won", 1.0, True, False, {{}}',
        "self.k += 1",
        'return "and " + self.xs[self.k - 1], 0.0, False, False, {}',
    ]
    return many_turns(
        style,
        "Echo",
        count,
        setup,
        f'"{words} {style.noun} so far: " + self.xs[0]',
        f'[" ".join(self.xs[:k + 1]) for k in range({count})]',
        step,
    )


def shown(view: View) -> list[int]:
    """Every item that was shown so far, in order."""
    seen = [turn.observation for turn in view.past] + [view.observation]
    return [numbers(observation)[-1] for observation in seen]


def expert(view: View, slip: Slip) -> str:
    """The whole list from its start."""
    return boxed(" ".join(str(slip(item)) for item in shown(view)))


def naive(view: View, slip: Slip) -> str:
    """The newest items only: one, or now and then two."""
    return boxed(" ".join(map(str, shown(view)[-1 - (slip.rng.random() < 0.4) :])))


FAMILY = Family(
    name="echo",
    skill="Memory Recall",
    title="Echo",
    hints=("repeat the whole list from its start", "say all of them in order each turn"),
    turns=8,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: float(len(numbers(observation))),
)
