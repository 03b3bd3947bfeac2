"""The committed weights load with the stock classes, design valid programs at the level asked for, gain from hints."""

from __future__ import annotations

from pathlib import Path
from random import Random
from statistics import fmean

import pytest
import torch
from tiny_policy.check import Measured, measure
from tiny_policy.checkpoint import load_policy
from tiny_policy.evaluate import Attempt, Policy, designs
from tiny_policy.runner import Runner
from transformers import AutoModelForCausalLM, AutoTokenizer

WEIGHTS = Path(__file__).resolve().parents[1] / "weights"


@pytest.fixture(scope="module")
def measured() -> tuple[list[Attempt], list[Measured]]:
    model, codec = load_policy(WEIGHTS)
    policy = Policy(model, codec, torch.Generator().manual_seed(5))
    attempts = designs(policy, 48, Random(5))
    with Runner() as runner:
        return attempts, measure(policy, runner, attempts, 4)[0]


def test_they_load_with_the_stock_classes_and_stay_small() -> None:
    model = AutoModelForCausalLM.from_pretrained(WEIGHTS)
    assert model.config.architectures == ["Qwen3ForCausalLM"]
    assert 1e6 <= model.num_parameters() <= 1.9e6
    assert len(AutoTokenizer.from_pretrained(WEIGHTS)) == model.config.vocab_size
    assert sum(path.stat().st_size for path in WEIGHTS.iterdir()) <= 8_000_000


def test_most_designs_at_temperature_one_are_valid(measured: tuple[list[Attempt], list[Measured]]) -> None:
    attempts, valid = measured
    assert len(valid) >= 0.75 * len(attempts)


def test_designs_follow_the_level_asked_for(measured: tuple[list[Attempt], list[Measured]]) -> None:
    pairs = [(each.attempt.level, each.shown) for each in measured[1] if each.shown is not None]
    low = fmean(shown for level, shown in pairs if level <= 2)
    high = fmean(shown for level, shown in pairs if level >= 5)
    assert high - low > 2


def test_hints_help(measured: tuple[list[Attempt], list[Measured]]) -> None:
    assert fmean(each.hinted - each.unhinted for each in measured[1]) > 0.1
