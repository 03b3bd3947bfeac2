"""Episodes of the policy on programs, many at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from transformers import Qwen3ForCausalLM

from .prompts import Message, play_messages
from .runner import Runner
from .sampling import Sampler, sample
from .tokenizer import Codec

TURN_TOKENS = 60
"""Most tokens of one turn."""

MOST_TURNS = 12


@dataclass
class Episode:
    """One play. `learnt` and `logprobs` run along `tokens`; `outcome` is the return, None after a fault."""

    source: str
    seed: int
    hint: str | None
    number: int = 0
    tokens: list[int] = field(default_factory=list)
    learnt: list[bool] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    outcome: float | None = None
    observation: str = ""

    def append(self, tokens: list[int], logprobs: list[float] | None = None) -> None:
        """Adds given tokens, or sampled ones with their log-probabilities."""
        self.tokens += tokens
        self.learnt += [logprobs is not None] * len(tokens)
        self.logprobs += [0.0] * len(tokens) if logprobs is None else logprobs


def open_episodes(runner: Runner, codec: Codec, episodes: list[Episode]) -> list[Episode]:
    """Resets every environment; returns the episodes that could start."""
    live = []
    for episode in episodes:
        started = runner.reset(episode.source, episode.seed)
        if started is None:
            continue
        episode.number, episode.observation = started
        episode.append(codec.prompt(play_messages(episode.observation, episode.hint)))
        live.append(episode)
    return live


def answer(runner: Runner, codec: Codec, episode: Episode, action: str) -> bool:
    """Gives the environment an action; returns whether the episode goes on."""
    result = runner.step(episode.number, action)
    if result is None:
        return False
    if result["terminated"] or result["truncated"]:
        episode.outcome = max(-1.0, min(1.0, result["reward"])) if result["terminated"] else 0.0
        return False
    episode.append([*codec.message(Message("user", result["observation"])), codec.role["assistant"]])
    return True


def play_all(
    model: Qwen3ForCausalLM,
    codec: Codec,
    runner: Runner,
    episodes: list[Episode],
    temperature: float,
    generator: torch.Generator,
) -> None:
    """Plays the episodes to their ends, in place. One that does not end in `MOST_TURNS` turns returns 0."""
    live = open_episodes(runner, codec, episodes)
    sampler = Sampler(TURN_TOKENS, codec.end, temperature, generator)
    for _ in range(MOST_TURNS):
        if not live:
            return
        completions = sample(model, [each.tokens for each in live], sampler)
        going = []
        for episode, completion in zip(live, completions, strict=True):
            episode.append(completion.tokens, completion.logprobs)
            if answer(runner, codec, episode, codec.text(completion.tokens)):
                going.append(episode)
        live = going
    for episode in live:
        episode.outcome = 0.0
