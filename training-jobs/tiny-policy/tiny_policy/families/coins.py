"""Mathematical Reasoning: pay an amount with the fewest coins."""

from __future__ import annotations

from random import Random

from .base import Constants, Family, Slip, View, boxed, numbers, worked
from .skeleton import INDENT, single_turn
from .style import Style


def sizes(level: int, rng: Random) -> Constants:
    """Larger coins and amounts with the level; every coin divides the next, so paying greedily is best."""
    small = rng.randint(3, 4 + level // 3)
    kinds = 2 if level < 3 else 3
    large = small * rng.randint(2, 3 if level < 5 else 4)
    top = small * (3 + level) if kinds == 2 else large * (2 + level // 2)
    return {"kinds": kinds, "small": small, "large": large, "low": top // 2, "high": top}


def coin_list(size: Constants) -> str:
    """The coins, largest first, as they stand in the program."""
    coins = ([size["large"]] if size["kinds"] == 3 else []) + [size["small"], 1]
    return "[" + ", ".join(map(str, coins)) + "]"


def write(size: Constants, style: Style) -> str:
    """The program that asks how many of each coin."""
    words = style.phrase("pay", "make")
    setup = [
        f"coins = {coin_list(size)}",
        f"x = {style.rng}.randint({size['low']}, {size['high']})",
        f'ask = f"{words} {{x}} {style.noun} with coins {{coins}}"',
        "out = []",
        "for c in coins:",
        f"{INDENT}out.append(str(x // c))",
        f"{INDENT}x %= c",
    ]
    return single_turn(style, "Coins", setup, "ask", '",".join(out)', stored=True)


def counts(view: View, slip: Slip) -> tuple[list[str], str]:
    """The worked steps (count and rest of every coin) and the answer."""
    rest, *coins = numbers(view.observation)
    steps, answer = [], []
    for coin in coins:
        count, rest = slip(rest // coin), rest % coin
        steps.append(f"{coin}*{count} left {rest}")
        answer.append(str(count))
    return steps, ",".join(answer)


def expert(view: View, slip: Slip) -> str:
    """The largest coin first, with the rest after every coin."""
    steps, answer = counts(view, slip)
    return worked(steps, answer)


def naive(view: View, slip: Slip) -> str:
    """The counts at once."""
    return boxed(counts(view, Slip(slip.rng, 0))[1])


FAMILY = Family(
    name="coins",
    skill="Mathematical Reasoning",
    title="Coins",
    hints=("use the largest coin first and note what is left", "largest coin first, write the rest each time"),
    turns=1,
    sizes=sizes,
    write=write,
    expert=expert,
    naive=naive,
    extent=lambda observation: numbers(observation)[0],
)
