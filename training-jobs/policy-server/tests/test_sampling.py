from __future__ import annotations

import math
from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_server.sampling import SamplingParams, choice_key, choose, rounded, uniform

LOGITS = torch.tensor([[2.0, 1.0, 0.0, -1.0]], dtype=torch.float64)


def logprob(token: int, temperature: float = 1.0) -> float:
    return float(torch.log_softmax(LOGITS[0] / temperature, -1)[token])


def pick(params: SamplingParams, u: float) -> tuple[int, float]:
    tokens, logprobs = choose(LOGITS, [params], [u])
    return tokens[0], logprobs[0]


def test_the_choice_inverts_the_cumulative_distribution() -> None:
    weights = [math.exp(x) for x in (2.0, 1.0, 0.0, -1.0)]
    edges = [sum(weights[: i + 1]) / sum(weights) for i in range(4)]
    for token, edge in enumerate(edges):
        assert pick(SamplingParams(), edge - 1e-9)[0] == token
    assert pick(SamplingParams(), 0.0)[0] == 0
    assert pick(SamplingParams(), edges[0] + 1e-9)[0] == 1
    assert pick(SamplingParams(), 1.0 - 2.0**-53)[0] == 3


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_logprob_is_that_of_the_tempered_distribution(temperature: float) -> None:
    token, value = pick(SamplingParams(temperature), 0.9)
    assert value == pytest.approx(logprob(token, temperature), abs=1e-5)


def test_truncation_leaves_the_logprob_as_it_was() -> None:
    token, value = pick(SamplingParams(1.0, top_k=2), 0.999)
    assert token == 1
    assert value == pytest.approx(logprob(1), abs=1e-5)


def test_greedy_takes_the_largest_and_reports_the_untempered_logprob() -> None:
    assert pick(SamplingParams(0.0), 0.99) == (0, pytest.approx(logprob(0), abs=1e-5))


def test_top_p_keeps_the_fewest_tokens_that_reach_it() -> None:
    # probabilities 0.644, 0.237, 0.087, 0.032
    assert pick(SamplingParams(top_p=0.6), 0.999)[0] == 0
    assert pick(SamplingParams(top_p=0.7), 0.999)[0] == 1
    assert pick(SamplingParams(top_p=0.9), 0.999)[0] == 2
    assert pick(SamplingParams(top_p=1e-9), 0.999)[0] == 0


def test_top_p_is_counted_within_top_k() -> None:
    # within the first two: 0.731 and 0.269
    assert pick(SamplingParams(top_p=0.7, top_k=2), 0.999)[0] == 0
    assert pick(SamplingParams(top_p=0.75, top_k=2), 0.999)[0] == 1


def test_top_k_beyond_the_vocabulary_excludes_nothing() -> None:
    assert pick(SamplingParams(top_k=99), 0.9999)[0] == 3


def test_rows_with_different_settings_do_not_touch_each_other() -> None:
    params = [SamplingParams(0.0), SamplingParams(1.0), SamplingParams(0.7, 0.9, 3), SamplingParams(2.0)]
    uniforms = [0.5, 0.8, 0.99, 0.97]
    together = choose(LOGITS.expand(4, -1), params, uniforms)
    alone = [choose(LOGITS, [p], [u]) for p, u in zip(params, uniforms, strict=True)]
    assert together == ([a[0][0] for a in alone], [a[1][0] for a in alone])


def test_samples_follow_the_distribution() -> None:
    key = choice_key(3, 0)
    count = 20_000
    tokens, _ = choose(LOGITS.expand(count, -1), [SamplingParams()] * count, [uniform(key, i) for i in range(count)])
    seen = Counter(tokens)
    for token in range(4):
        share = math.exp(logprob(token))
        deviation = math.sqrt(share * (1 - share) / count)
        assert abs(seen[token] / count - share) < 5 * deviation


@given(st.integers(0, 2**64 - 1), st.integers(0, 10_000))
def test_uniform_numbers_lie_in_the_unit_interval(key: int, position: int) -> None:
    assert 0.0 <= uniform(key, position) < 1.0


def test_uniform_numbers_are_fixed() -> None:
    # SplitMix64 of state 0: the first three outputs of the reference implementation.
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [uniform(0, i) for i in range(3)] == [(x >> 11) * 2.0**-53 for x in expected]


def test_choices_and_seeds_have_unrelated_keys() -> None:
    keys = {choice_key(seed, choice) for seed in range(-20, 20) for choice in range(20)}
    assert len(keys) == 800


@settings(max_examples=50)
@given(
    st.lists(st.floats(-30, 30), min_size=2, max_size=40),
    st.floats(0, 1, exclude_max=True),
    st.floats(0.05, 5),
    st.floats(0.01, 1),
    st.integers(0, 50),
)
def test_a_chosen_token_is_never_impossible(
    logits: list[float], u: float, temperature: float, top_p: float, top_k: int
) -> None:
    row = torch.tensor([logits], dtype=torch.float64)
    tokens, logprobs = choose(row, [SamplingParams(temperature, top_p, top_k)], [u])
    assert 0 <= tokens[0] < len(logits)
    assert -math.inf < logprobs[0] <= 0
    if top_k:
        # Logits so close that their probabilities are equal are tied, and the first of them wins.
        better = sum(value > logits[tokens[0]] + 1e-9 for value in logits)
        assert better < top_k


def test_a_rounded_logprob_is_never_minus_zero() -> None:
    assert math.copysign(1, rounded(-1e-12)) == 1
    assert rounded(-0.12345678) == -0.12346
