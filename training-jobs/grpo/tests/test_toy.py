"""A bandit whose optimum is known in closed form, solved by the trainer's own step."""

from typing import Any

import pytest
import torch
from grpo.microbatch import TrainingSet
from grpo.step import Known, Learner, take_step
from grpo.stop import StopRequest
from grpo_testing.factory import tiny_model
from grpo_testing.learner import learner_of, samples_of

REWARDS = torch.tensor([0.0, 0.2, 1.0, 0.5, -0.3, 0.1], dtype=torch.float64)
PROMPT = [3, 1, 4]


def arm_probabilities(learner: Learner, plain: Any) -> torch.Tensor:
    """By the architecture's own attention in another model object, so that the sampler is not the trainer's code."""
    plain.load_state_dict(learner.policy.lm.state_dict())  # type: ignore[union-attr, operator]
    with torch.no_grad():
        return plain(torch.tensor([PROMPT])).logits[0, -1].double().softmax(0)


def expectation_batch(probabilities: torch.Tensor) -> list[dict[str, Any]]:
    """One sample per arm, weighted by its probability: the batch's mean is the exact expectation, so nothing is
    random."""
    baseline = float(probabilities @ REWARDS)
    return [
        {
            "id": str(arm),
            "role": "agent",
            "group": "bandit",
            "tokenIds": [*PROMPT, arm],
            "mask": [0, 0, 0, 1],
            "logprobs": [0, 0, 0, float(p.log())],
            "advantage": float(REWARDS[arm]) - baseline,
            "weight": float(p),
            "temperature": 1.0,
            "policyVersion": 0,
        }
        for arm, p in enumerate(probabilities)
    ]


def play(steps: int, **settings: Any) -> torch.Tensor:
    plain = tiny_model(vocab_size=len(REWARDS))
    learner = learner_of(plain, weight_decay=0.0, learning_rate=0.02, **settings)
    for number in range(steps):
        rows = expectation_batch(arm_probabilities(learner, plain))
        data = TrainingSet.of(samples_of(rows, len(REWARDS)))
        row = take_step(learner, data, range(len(rows)), Known(), number, StopRequest(90))
        assert row["skipped"] is None
    return arm_probabilities(learner, plain)


def test_without_entropy_the_best_arm_takes_all() -> None:
    found = play(30)
    assert int(found.argmax()) == 2
    assert float(found[2]) > 0.9


@pytest.mark.parametrize("temperature", [0.3, 1.0])
def test_with_entropy_the_optimum_is_a_softmax_of_rewards(temperature: float) -> None:
    """max over p of E[r] + β·H(p) is reached at p ∝ exp(r / β)."""
    expected = torch.softmax(REWARDS / temperature, dim=0)
    found = play(50, entropy_coef=temperature)
    torch.testing.assert_close(found, expected, atol=0.03, rtol=0)
