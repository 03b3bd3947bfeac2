"""A bandit whose optimum is known in closed form, solved by the trainer's own step."""

from typing import Any

import pytest
import torch
from grpo.microbatch import TrainingSet
from grpo.step import Known, take_step
from grpo.stop import StopRequest
from grpo_testing.factory import sampler_logprobs, tiny_model
from grpo_testing.learner import learner_of, samples_of

REWARDS = torch.tensor([0.0, 0.2, 1.0, 0.5, -0.3, 0.1], dtype=torch.float64)
PROMPT = [3, 1, 4]


def arm_probabilities(model: Any) -> torch.Tensor:
    logs = [sampler_logprobs(model, [*PROMPT, arm])[-1] for arm in range(len(REWARDS))]
    return torch.tensor(logs, dtype=torch.float64).exp()


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
    learner = learner_of(tiny_model(vocab_size=len(REWARDS)), weight_decay=0.0, learning_rate=0.01, **settings)
    for number in range(steps):
        rows = expectation_batch(arm_probabilities(learner_as_plain(learner)))
        data = TrainingSet.of(samples_of(rows, len(REWARDS)))
        row = take_step(learner, data, range(len(rows)), Known(), number, StopRequest(90))
        assert row["skipped"] is None
    return arm_probabilities(learner_as_plain(learner))


def learner_as_plain(learner: Any) -> Any:
    """The trained weights in the architecture's own attention, so that the sampler is not the trainer's code."""
    plain = tiny_model(vocab_size=len(REWARDS))
    plain.load_state_dict(learner.policy.lm.state_dict())
    return plain


def test_without_entropy_the_best_arm_takes_all() -> None:
    assert int(play(40).argmax()) == 2
    assert float(play(40)[2]) > 0.9


@pytest.mark.parametrize("temperature", [0.3, 1.0])
def test_with_entropy_the_optimum_is_a_softmax_of_rewards(temperature: float) -> None:
    """max over p of E[r] + β·H(p) is reached at p ∝ exp(r / β)."""
    expected = torch.softmax(REWARDS / temperature, dim=0)
    found = play(80, entropy_coef=temperature)
    torch.testing.assert_close(found, expected, atol=0.03, rtol=0)
