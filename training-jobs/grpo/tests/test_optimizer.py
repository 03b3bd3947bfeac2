import dataclasses

import pytest
import torch
from grpo.config import TrainerConfig
from grpo.optimizer import learning_rate, make_optimizer

CONFIG = TrainerConfig(policy_version=1, learning_rate=1.0, warmup_steps=4)


@pytest.mark.parametrize(
    ("mode", "expected"), [("carry", [0.25, 0.5, 0.75, 1, 1]), ("warmup", [0.25, 0.5, 0.75, 1, 1]), ("fresh", [1] * 5)]
)
def test_the_rate_warms_up_once_and_stays(mode: str, expected: list[float]) -> None:
    config = dataclasses.replace(CONFIG, optimizer_state=mode)
    assert [learning_rate(config, done) for done in range(5)] == expected


def test_no_warm_up_means_the_full_rate_at_once() -> None:
    assert learning_rate(dataclasses.replace(CONFIG, warmup_steps=0), 0) == 1.0


def test_weight_decay_spares_gains() -> None:
    parameters = {"matrix": torch.nn.Parameter(torch.ones(2, 2)), "gain": torch.nn.Parameter(torch.ones(2))}
    optimizer = make_optimizer(parameters, dataclasses.replace(CONFIG, learning_rate=0.5, weight_decay=0.1))
    for p in parameters.values():
        p.grad = torch.zeros_like(p)
    optimizer.step()
    torch.testing.assert_close(parameters["matrix"].data, torch.full((2, 2), 0.95))
    torch.testing.assert_close(parameters["gain"].data, torch.ones(2))
