"""How one program is worded and laid out, so that the programs of a family are not one template."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Style:
    """Names and layout of one program.

    noun: the word of the grounding document that the task is about. number: a number of the document, or 0.
    rng, found: variable names. judge: which form of checking. stored: whether the answer is kept by `reset`.
    order: method order. spaced: blank lines between methods. wording: which phrase introduces the task.
    """

    noun: str
    number: int
    rng: str
    found: str
    judge: int
    stored: bool
    solution_last: bool
    spaced: bool
    wording: int

    def title(self, word: str) -> str:
        """Class name of a program about this noun, for example `HarborSumEnv`."""
        return f"{self.noun.capitalize()}{word}Env"

    def phrase(self, *choices: str) -> str:
        """One of several wordings."""
        return choices[self.wording % len(choices)]


def draw_style(noun: str, number: int, rng: Random) -> Style:
    """A style drawn at random around a noun and a number."""
    return Style(
        noun=noun,
        number=number,
        rng=rng.choice(("rng", "dice")),
        found=rng.choice(("found", "said")),
        judge=rng.randrange(3),
        stored=rng.random() < 0.5,
        solution_last=rng.random() < 0.5,
        spaced=rng.random() < 0.5,
        wording=rng.randrange(6),
    )
