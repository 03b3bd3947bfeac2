"""The policy at work: designing, hinting, playing, and its benchmark score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import fmean

import torch
from transformers import Qwen3ForCausalLM

from .benchmark import Row
from .demonstrations import design, load
from .documents import excerpt
from .families import FAMILIES, SKILLS
from .families.base import LEVELS, Family
from .play import Episode, play_all
from .prompts import Message, design_messages, hint_messages
from .runner import Runner
from .sampling import Completion, Sampler, sample
from .tokenizer import Codec

DESIGN_TOKENS = 280
HINT_TOKENS = 24


@dataclass(frozen=True)
class Policy:
    """A model with its codec, the sampling temperature and the source of its randomness."""

    model: Qwen3ForCausalLM
    codec: Codec
    generator: torch.Generator
    temperature: float = 1.0

    def write(self, requests: list[list[Message]], most: int) -> list[tuple[list[int], Completion]]:
        """Prompt tokens and completion for every request."""
        prompts = [self.codec.prompt(request) for request in requests]
        sampler = Sampler(most, self.codec.end, self.temperature, self.generator)
        done = sample(self.model, prompts, sampler)
        return list(zip(prompts, done, strict=True))

    def play(self, runner: Runner, episodes: list[Episode]) -> None:
        """Plays episodes to their ends, in place."""
        play_all(self.model, self.codec, runner, episodes, self.temperature, self.generator)


@dataclass(frozen=True)
class Attempt:
    """One design: the request's skill and level, and the program that came back."""

    skill: str
    level: int
    source: str


def requests(count: int, rng: Random) -> list[tuple[str, int, list[Message]]]:
    """Design requests over all skills and levels in turn, each on its own document."""
    cells = [(SKILLS[index % len(SKILLS)], LEVELS[index // len(SKILLS) % len(LEVELS)]) for index in range(count)]
    return [(skill, level, design_messages(skill, level, excerpt(rng))) for skill, level in cells]


def designs(policy: Policy, count: int, rng: Random) -> list[Attempt]:
    """Programs that the policy writes for `count` requests."""
    asked = requests(count, rng)
    answers = policy.write([messages for _, _, messages in asked], DESIGN_TOKENS)
    return [
        Attempt(skill, level, policy.codec.text(completion.tokens))
        for (skill, level, _), (_, completion) in zip(asked, answers, strict=True)
    ]


def hints(policy: Policy, sources: list[str]) -> list[str]:
    """The policy's hint on every program."""
    return [
        policy.codec.text(completion.tokens)
        for _, completion in policy.write([hint_messages(source) for source in sources], HINT_TOKENS)
    ]


def both_arms(
    policy: Policy, runner: Runner, sources: list[str], words: list[str], seeds: int
) -> list[tuple[float, float]]:
    """Mean returns (hinted, unhinted) of every program, on the same seeds in both arms. A faulty episode counts 0."""
    episodes = [
        Episode(source, seed, hint)
        for source, word in zip(sources, words, strict=True)
        for hint in (word, None)
        for seed in range(seeds)
    ]
    policy.play(runner, episodes)
    returns = [episode.outcome or 0.0 for episode in episodes]
    means = [fmean(returns[start : start + seeds]) for start in range(0, len(returns), seeds)]
    return list(zip(means[::2], means[1::2], strict=True))


def benchmark_returns(policy: Policy, runner: Runner, rows: list[Row]) -> list[float]:
    """Mean return of every row, without hints."""
    episodes = [Episode(row.code, seed, None) for row in rows for seed in row.seeds]
    policy.play(runner, episodes)
    returns = iter([episode.outcome or 0.0 for episode in episodes])
    return [fmean(next(returns) for _ in row.seeds) for row in rows]


def family_of(source: str) -> Family | None:
    """The family whose title the class name carries."""
    name = next((line.split()[1].rstrip(":") for line in source.splitlines() if line.startswith("class ")), "")
    return next((family for family in FAMILIES if name.endswith(f"{family.title}Env")), None)


@cache
def usual_extents(family: Family) -> tuple[float, ...]:
    """Mean extent of a family's own programs at every level."""
    rng = Random(f"extent:{family.name}")
    return tuple(fmean(extent_of(family, design(family, level, rng).source) for _ in range(20)) for level in LEVELS)


def extent_of(family: Family, source: str) -> float:
    """Mean extent of a program of the recipe over a few seeds."""
    return fmean(family.extent(load(source).reset(seed)[0]) for seed in range(4))


def level_shown(runner: Runner, source: str) -> int | None:
    """The level whose usual extent a program comes closest to; None when its family is not recognised."""
    family = family_of(source)
    openings = [opening for seed in range(4) if (opening := runner.reset(source, seed))]
    if family is None or not openings:
        return None
    extent = fmean(family.extent(observation) for _, observation in openings)
    return min(LEVELS, key=lambda level: abs(usual_extents(family)[level - 1] - extent))
