"""Memory Recall: say a list from its end."""

from __future__ import annotations

from random import Random

from .base import Constants, Family, Slip, View, boxed, worked
from .skeleton import single_turn
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """A longer list with the level."""
    return {"count": (3, 4, 5, 7, 9, 11)[level - 1] + rng.randint(0, 1)}


def write(size: Constants, style: Style) -> str:
    """The program that asks for the items in reverse."""
    words = style.phrase("reverse the", "backwards, the")
    return single_turn(
        style,
        "Reverse",
        [f'self.xs = "".join({style.rng}.choice("123456789") for _ in range({size["count"]}))'],
        f'"{words} {style.noun}: " + " ".join(self.xs)',
        "self.xs[::-1]",
    )


def items_of(view: View) -> list[str]:
    """The items as shown."""
    return view.observation.split(": ")[-1].split()


def expert(view: View, slip: Slip) -> str:
    """Numbers the items with letters, then reads them from the last letter back."""
    items = items_of(view)
    read = [slip.rng.choice("123456789") if slip.happens() else item for item in items]
    labels = "ABCDEFGHIJKLMNOP"
    return worked([labels[k] + item for k, item in enumerate(read)], "".join(reversed(read)))


def naive(view: View, slip: Slip) -> str:
    """The end first, then the middle as it stands."""
    items = items_of(view)
    known = slip.rng.randint(1, 3)
    back = list(reversed(items))
    rest = back[known:]
    slip.rng.shuffle(rest)
    return boxed("".join(back[:known] + rest))


FAMILY = Family(
    name="backwards",
    skill="Memory Recall",
    title="Reverse",
    hints=("label the items first, then read them from the end", "give each item a letter and go back from the last"),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: len(observation.split(": ")[-1].split()),
)
