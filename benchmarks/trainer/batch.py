"""Collected batches: lengths as self-play gives them (many short plays, a tail of long ones, a few long programs), or
all alike, where padding costs least.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "training-jobs" / "grpo"))

from grpo.samples import TrainingSample

DESIGNERS = 1 / 17
"""Share of designer samples: one program for a group of 16 plays."""


def ragged_batch(
    count: int,
    vocabulary: int,
    median: int,
    longest: int,
    seed: int = 0,
    spread: float = 1.0,
) -> list[TrainingSample]:
    """Random tokens in sequences of log-normal length (sigma 0.7 around `median`, at most `longest`).

    Plays train a log-normal part of their tokens (about a third), programs the second two thirds of theirs and are
    about twice as long. Sampler log-probabilities are those of a uniform policy. `spread` scales every variation of
    length: at 0 all sequences have `median` tokens and train like parts of them.
    """
    rng = np.random.default_rng(seed)
    samples = []
    for number in range(count):
        designer = rng.random() < DESIGNERS
        middle, sigma = (median * 2**spread, 0.2) if designer else (median, 0.7)
        length = round(np.clip(rng.lognormal(np.log(middle), spread * sigma), 8, longest))
        part = 0.65 if designer and spread else rng.lognormal(-1.2, spread * 0.4)
        trained = int(np.clip(length * part, 1, length - 1))
        mask = np.arange(length) >= length - trained
        samples.append(
            TrainingSample(
                id=f"s{number}",
                role="designer" if designer else "agent",
                group=f"g{number // 16}",
                token_ids=rng.integers(0, vocabulary, length),
                mask=mask,
                logprobs=np.where(mask, -np.log(vocabulary), 0.0),
                advantage=float(rng.normal()),
                weight=1.0,
                temperature=1.0,
                policy_version=0,
            )
        )
    return samples
