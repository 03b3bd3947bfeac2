"""Training conversations: designs, hints and plays, generated from the families."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from .documents import excerpt, grounding
from .families import FAMILIES, SKILLS, families_of
from .families.base import LEVELS, Family, Slip, Turn, View
from .families.style import draw_style
from .prompts import MemoryExample, Message, design_messages, hint_messages, play_messages

Conversation = list[Message]
"""Messages; the assistant's are what the policy learns to write."""

STRATEGY_HINTED = 0.97
"""Chance that a demonstration under a hint follows it."""

STRATEGY_UNHINTED = 0.12
"""Chance that a demonstration without a hint uses the strategy: rare, so that there is something to discover."""

SLIP_HINTED, SLIP_UNHINTED = 0.02, 0.04
"""Chance of an error in one step of a worked demonstration."""

EASY_UNHINTED = 0.7
"""Share of unhinted demonstrations at levels 1 and 2 only."""

SAME_KIND = 0.6
"""Chance that a design follows the kind of a frontier example that it was shown."""


@dataclass(frozen=True)
class Designed:
    """A program of the recipe with what it was made from."""

    family: Family
    level: int
    document: str
    source: str
    title: str


def design(family: Family, level: int, rng: Random, document: str | None = None) -> Designed:
    """A program of a family at a level, about a word of a document."""
    text = excerpt(rng) if document is None else document
    style = draw_style(*grounding(text, rng), rng)
    return Designed(family, level, text, family.write(family.sizes(level, rng), style), style.title(family.title))


def example_of(family: Family, rng: Random) -> MemoryExample:
    """A made-up entry of the environment memory for a family."""
    won = rng.randint(0, 100)
    note = "frontier" if 15 <= won <= 85 else "too easy" if won > 85 else "too hard"
    noun, number = grounding(excerpt(rng), rng)
    return MemoryExample(draw_style(noun, number, rng).title(family.title), rng.choice(LEVELS), won, note)


def design_demonstration(rng: Random) -> Conversation:
    """A design request and the program that answers it."""
    skill = rng.choice(SKILLS)
    kinds = families_of(skill)
    shown = [rng.choice(kinds) for _ in range(rng.randint(0, 3))]
    examples = tuple(example_of(kind, rng) for kind in shown)
    frontier = [kind for kind, example in zip(shown, examples, strict=True) if example.note == "frontier"]
    family = rng.choice(frontier) if frontier and rng.random() < SAME_KIND else rng.choice(kinds)
    made = design(family, rng.choice(LEVELS), rng)
    request = design_messages(skill, made.level, made.document, examples)
    return [*request, Message("assistant", made.source)]


def hint_demonstration(rng: Random) -> Conversation:
    """A program and a hint on it."""
    family = rng.choice(FAMILIES)
    made = design(family, rng.choice(LEVELS), rng)
    return [*hint_messages(made.source), Message("assistant", rng.choice(family.hints))]


def load(source: str) -> Any:
    """An instance of the class in a program that the recipe itself wrote."""
    space: dict[str, Any] = {}
    exec(compile(source, "<recipe>", "exec"), space)
    return next(value for name, value in space.items() if name.endswith("Env"))()


def play(family: Family, source: str, seed: int, player: Callable[[View], str]) -> tuple[list[Turn], float]:
    """One episode on the recipe's own program: the turns and the last reward."""
    environment = load(source)
    observation, _ = environment.reset(seed)
    past: list[Turn] = []
    for _ in range(family.turns):
        action = player(View(tuple(past), observation))
        past.append(Turn(observation, action))
        observation, reward, terminated, truncated, _ = environment.step(action)
        if terminated or truncated:
            return past, reward
    raise RuntimeError(f"an episode of {family.name} went past {family.turns} turns")


def play_demonstration(rng: Random, hinted: bool) -> Conversation:
    """An episode in one arm, by an expert or naively."""
    family = rng.choice(FAMILIES)
    easy = not hinted and rng.random() < EASY_UNHINTED
    made = design(family, rng.randint(1, 2) if easy else rng.choice(LEVELS), rng)
    strategy = rng.random() < (STRATEGY_HINTED if hinted else STRATEGY_UNHINTED)
    choose = family.expert if strategy else family.naive
    slip = Slip(rng, SLIP_HINTED if hinted else SLIP_UNHINTED)
    turns, _ = play(family, made.source, rng.getrandbits(32), lambda view: choose(view, slip))
    messages = play_messages(turns[0].observation, rng.choice(family.hints) if hinted else None)
    for index, turn in enumerate(turns):
        if index:
            messages.append(Message("user", turn.observation))
        messages.append(Message("assistant", turn.action))
    return messages


MIXTURE: tuple[tuple[float, Callable[[Random], Conversation]], ...] = (
    (0.16, design_demonstration),
    (0.03, hint_demonstration),
    (0.51, lambda rng: play_demonstration(rng, hinted=True)),
    (0.30, lambda rng: play_demonstration(rng, hinted=False)),
)
"""Share of each kind of conversation in a batch."""


def conversation(rng: Random) -> Conversation:
    """One training conversation of the mixture."""
    (maker,) = rng.choices([maker for _, maker in MIXTURE], [share for share, _ in MIXTURE])
    return maker(rng)


def tokenizer_texts(seed: int, count: int) -> list[str]:
    """Message contents of `count` conversations, to fit the tokenizer to."""
    rng = Random(f"tokenizer:{seed}")
    return [message.content for _ in range(count) for message in conversation(rng)]
