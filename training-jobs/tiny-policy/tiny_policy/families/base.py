"""What a family of environments is, and the small values its experts work with."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from .style import Style

Constants = Mapping[str, int]
"""The numbers that a program of one difficulty level carries, by name."""

LEVELS = range(1, 7)
"""Difficulty levels that a design request can ask for."""


def numbers(text: str) -> list[int]:
    """Every unsigned run of digits in `text`, in order."""
    return [int(run) for run in re.findall(r"\d+", text)]


def boxed(answer: object) -> str:
    r"""The form in which an action carries its answer: `\boxed{answer}`."""
    return f"\\boxed{{{answer}}}"


def worked(steps: Sequence[object], answer: object) -> str:
    """A completion that writes its steps out and then answers."""
    return " ".join([*map(str, steps), boxed(answer)])


class Slip:
    """An unsteady hand: changes a value now and then, so that demonstrations leave something to improve.

    `rate` is the chance of an error in one step, in [0, 1].
    """

    def __init__(self, rng: Random, rate: float) -> None:
        self.rng = rng
        self.rate = rate

    def __call__(self, value: int) -> int:
        """`value`, or with chance `rate` a value near it (never negative)."""
        if self.rng.random() >= self.rate:
            return value
        return max(0, value + self.rng.choice((-10, -2, -1, 1, 2, 10)))

    def happens(self) -> bool:
        """Whether an error is made in this step."""
        return self.rng.random() < self.rate


@dataclass(frozen=True)
class Turn:
    """One exchange that lies behind: what was seen and what was answered."""

    observation: str
    action: str


@dataclass(frozen=True)
class View:
    """What a player sees: the exchanges so far and the observation to answer now."""

    past: tuple[Turn, ...]
    observation: str

    @property
    def first(self) -> str:
        """The observation of the reset."""
        return self.past[0].observation if self.past else self.observation


Player = Callable[[View, Slip], str]
"""Chooses the next completion. All its randomness comes from `slip.rng`."""


@dataclass(frozen=True)
class Family:
    """One kind of environment, at every difficulty.

    name: identifier, kebab case. skill: one of the games skills. title: the word that its class names carry.
    hints: variants of one strategy sentence, without values. turns: most turns of an episode.
    sizes: level 1..6 → constants. write: constants and style → the whole program.
    expert: plays by the hinted strategy. naive: plays without it.
    extent: first observation → a number that grows with difficulty, to see whether a level was followed.
    """

    name: str
    skill: str
    title: str
    hints: tuple[str, ...]
    turns: int
    sizes: Callable[[int, Random], Constants]
    write: Callable[[Constants, Style], str]
    expert: Player
    naive: Player
    extent: Callable[[str], float]
