import numpy as np
import pytest
from grpo.aggregation import token_shares
from grpo.samples import TrainingSample

EVEN = {"agent": 1.0, "designer": 1.0}


def sample(role: str, trained: int, weight: float = 1.0) -> TrainingSample:
    tokens = np.arange(trained + 1)
    return TrainingSample("s", role, "g", tokens, tokens > 0, tokens * 0.0, 1.0, weight, 1.0, 0)


def test_sample_mean_gives_a_long_program_the_weight_of_one_sample() -> None:
    shares = token_shares([sample("agent", 2), sample("agent", 8), sample("designer", 200)], "sample-mean", EVEN)
    assert shares == pytest.approx([1 / 6, 1 / 24, 1 / 600])  # 1 / (3 samples · n tokens)


def test_token_mean_gives_every_token_the_same() -> None:
    shares = token_shares([sample("agent", 2), sample("designer", 198)], "token-mean", EVEN)
    assert shares == pytest.approx([1 / 200, 1 / 200])


def test_an_episode_in_two_halves_counts_as_one() -> None:
    shares = token_shares([sample("agent", 4, 0.5), sample("agent", 4, 0.5), sample("agent", 4)], "sample-mean", EVEN)
    assert shares[0] + shares[1] == pytest.approx(shares[2])
    assert sum(4 * s for s in shares) == pytest.approx(1.0)


def test_a_role_weight_scales_its_role_and_leaves_the_other_alone() -> None:
    samples = [sample("agent", 2), sample("designer", 4)]
    plain = token_shares(samples, "sample-mean", EVEN)
    assert token_shares(samples, "sample-mean", {"agent": 1.0, "designer": 0.3}) == pytest.approx(
        [plain[0], 0.3 * plain[1]]
    )
