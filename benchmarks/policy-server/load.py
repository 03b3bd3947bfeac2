"""The requests of one iteration of self-play, and a client that sends them as the rollout worker does."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import aiohttp

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "training-jobs" / "tiny-policy"))

from tiny_policy.documents import excerpt
from tiny_policy.families import SKILLS
from tiny_policy.prompts import design_messages

WORDS = [
    "the",
    "tide",
    "ledger",
    "copper",
    "harbor",
    "add",
    "sort",
    "list",
    "answer",
    "total",
    "guess",
    "larger",
    "smaller",
    "12",
    "7",
    "30",
    "45",
    "8",
]


@dataclass(frozen=True)
class Episode:
    """Messages of the user, turn by turn, each with the most tokens that the answer may have, after a system prompt."""

    turns: tuple[tuple[str, int], ...]
    seed: int
    system: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What a load did: seconds of wall time, requests, tokens read and written."""

    seconds: float
    requests: int
    prompt_tokens: int
    completion_tokens: int


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(words))


def plays(count: int) -> list[Episode]:
    """Episodes of one to three turns; prompts of about 30 to 150 tokens, completions of at most 5 to 60."""
    chance = random.Random(1)
    return [
        Episode(
            tuple(
                (_text(chance, chance.randint(12, 45)), chance.randint(5, 60)) for _ in range(chance.choice([1, 2, 3]))
            ),
            seed,
        )
        for seed in range(count)
    ]


def designs(count: int) -> list[Episode]:
    """Whole programs of the embedded policy: its own design requests, completions of at most 320."""
    chance = random.Random(2)
    requests = [design_messages(chance.choice(SKILLS), chance.randint(1, 6), excerpt(chance)) for _ in range(count)]
    return [Episode(((user.content, 320),), seed, system.content) for seed, (system, user) in enumerate(requests)]


async def send(port: int, episodes: list[Episode], model: str = "v0000") -> Outcome:
    """Play all episodes at once, turn after turn within each."""
    counts = {"requests": 0, "prompt": 0, "completion": 0}

    async def play(session: aiohttp.ClientSession, episode: Episode) -> None:
        messages = [{"role": "system", "content": episode.system}] if episode.system else []
        for text, limit in episode.turns:
            messages.append({"role": "user", "content": text})
            body = {"model": model, "messages": messages, "seed": episode.seed, "max_tokens": limit}
            body |= {"temperature": 1.0, "logprobs": True, "return_token_ids": True}
            async with session.post(f"http://127.0.0.1:{port}/v1/chat/completions", json=body) as reply:
                answer = await reply.json()
                reply.raise_for_status()
            counts["requests"] += 1
            counts["prompt"] += answer["usage"]["prompt_tokens"]
            counts["completion"] += answer["usage"]["completion_tokens"]
            messages.append(answer["choices"][0]["message"])

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        started = time.perf_counter()
        await asyncio.gather(*(play(session, episode) for episode in episodes))
        seconds = time.perf_counter() - started
    return Outcome(seconds, counts["requests"], counts["prompt"], counts["completion"])
