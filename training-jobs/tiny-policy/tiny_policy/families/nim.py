"""Strategic Planning, several turns: take the last of a pile."""

from __future__ import annotations

from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers
from .skeleton import INDENT, many_turns
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """A larger pile and longer takes with the level."""
    most = (3, 3, 3, 4, 5, 6)[level - 1] + rng.randint(0, 1)
    return {"most": most, "rounds": (2, 2, 2, 3, 3, 4)[level - 1] + rng.randint(0, 1)}


def write(size: Constants, style: Style) -> str:
    """The program whose opponent leaves a multiple whenever it can."""
    found = style.found
    words = style.phrase("take the last of", "who ends the")
    most = size["most"]
    least = max(1, size["rounds"] - 2)
    setup = [
        f"self.n = {most + 1} * {style.rng}.randint({least}, {size['rounds']}) + {style.rng}.randint(1, {most - 1})",
    ]
    step = [
        f'{found} = re.findall(r"boxed\\{{(\\d+)\\}}", action)',
        f"k = int({found}[-1]) if {found} else 0",
        f"if not 0 < k <= min({most}, self.n):",
        f'{INDENT}return "bad", 0.0, True, False, {{}}',
        "self.n -= k",
        "if self.n == 0:",
        f'{INDENT}return "won", 1.0, True, False, {{}}',
        f"self.n -= self.n % {most + 1} or 1",
        'return f"{self.n} left", 0.0, self.n == 0, False, {}',
    ]
    ask = f'f"{words} {{self.n}} {style.noun}, take up to {most}"'
    solution = f'[str(self.n % {most + 1})] + ["{most}"] * (self.n // {most + 1})'
    return many_turns(style, "Nim", size["rounds"] + 1, setup, ask, solution, step)


def position(view: View) -> tuple[int, int]:
    """What is left and how many may be taken."""
    start, most = numbers(view.first)[:2]
    return (numbers(view.observation)[0] if view.past else start), most


def expert(view: View, slip: Slip) -> str:
    """Writes the multiple to leave, then takes what is above it."""
    left, most = position(view)
    leave = max(0, (left - 1) // (most + 1) * (most + 1))
    take = min(most, left, max(1, slip(left - leave)))
    return f"{left} leave {leave} {boxed(take)}"


def naive(view: View, slip: Slip) -> str:
    """Takes any number that is allowed, all of the pile when it can."""
    left, most = position(view)
    return boxed(left if left <= most else slip.rng.randint(1, most))


FAMILY = Family(
    name="nim",
    skill="Strategic Planning",
    title="Nim",
    hints=("leave a multiple of one more than you may take", "always leave the multiple that the other cannot break"),
    turns=6,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: (numbers(observation) or [0])[0],
)
