"""Every expected number here was worked by hand from the formula."""

import math

import torch
from grpo.surrogate import clipped_surrogate, k3_divergence, truncated_importance
from hypothesis import given
from hypothesis import strategies as st

REAL = st.floats(-5, 5)


def test_the_clip_binds_upwards_for_gains_and_downwards_for_losses() -> None:
    ratio = torch.tensor([1.0, 1.5, 1.5, 0.5, 0.5], dtype=torch.float64)
    advantage = torch.tensor([2.0, 2.0, -2.0, 2.0, -2.0], dtype=torch.float64)
    loss, clipped = clipped_surrogate(ratio, advantage, low=0.2, high=0.28)
    expected = [-2.0, -1.28 * 2, 1.5 * 2, -0.5 * 2, 0.8 * 2]
    torch.testing.assert_close(loss, torch.tensor(expected, dtype=torch.float64))
    assert clipped.tolist() == [False, True, False, False, True]


@given(REAL, REAL)
def test_the_surrogate_never_promises_more_than_the_unclipped_one(log_ratio: float, advantage: float) -> None:
    ratio = torch.tensor([log_ratio], dtype=torch.float64).exp()
    loss, _ = clipped_surrogate(ratio, torch.tensor([advantage], dtype=torch.float64), 0.2, 0.28)
    assert float(loss) >= float(-ratio * advantage)


def test_importance_is_the_ratio_to_the_sampler_with_a_ceiling() -> None:
    old = torch.log(torch.tensor([0.5, 0.5, 0.5], dtype=torch.float64))
    sampler = torch.log(torch.tensor([0.5, 0.25, 0.1], dtype=torch.float64))
    expected = torch.tensor([1.0, 2.0, 2.0], dtype=torch.float64)
    torch.testing.assert_close(truncated_importance(old, sampler, cap=2.0), expected)


def test_an_absurd_sampler_logprob_stays_finite() -> None:
    weights = truncated_importance(torch.tensor([-1.0, -1000.0]), torch.tensor([-1000.0, -1.0]), cap=2.0)
    assert weights.tolist() == [2.0, 0.0]


def test_k3_by_hand() -> None:
    value = k3_divergence(torch.tensor([-1.0], dtype=torch.float64), torch.tensor([-1.5], dtype=torch.float64))
    assert math.isclose(float(value), math.exp(-0.5) + 0.5 - 1)


@given(REAL, REAL)
def test_k3_is_never_negative_and_zero_for_equal_policies(a: float, b: float) -> None:
    logprob, reference = torch.tensor([a], dtype=torch.float64), torch.tensor([b], dtype=torch.float64)
    assert float(k3_divergence(logprob, reference)) >= 0
    assert float(k3_divergence(logprob, logprob)) == 0
