from typing import Any

import numpy as np
from grpo.plan import bucket_lengths, deal_steps, pack_micro_batches, share_ranks
from grpo.samples import TrainingSample
from hypothesis import given
from hypothesis import strategies as st

LENGTHS = st.lists(st.integers(1, 300), min_size=1, max_size=60)


def sample(name: str, role: str) -> TrainingSample:
    tokens = np.arange(4)
    return TrainingSample(name, role, "g", tokens, tokens > 1, tokens * 0.0, 1.0, 1.0, 1.0, 0)


def batch(agents: int, designers: int) -> list[TrainingSample]:
    return [sample(f"a{i}", "agent") for i in range(agents)] + [sample(f"d{i}", "designer") for i in range(designers)]


@given(st.integers(0, 40), st.integers(0, 12), st.integers(1, 3), st.integers(1, 7), st.integers(0, 9))
def test_each_epoch_trains_each_sample_once(agents: int, designers: int, epochs: int, steps: int, seed: int) -> None:
    samples = batch(agents, designers)
    dealt = deal_steps(samples, epochs, steps, seed)
    assert sorted(i for step in dealt for i in step) == sorted(list(range(len(samples))) * epochs)


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 7), st.integers(0, 9))
def test_every_step_gets_its_share_of_both_roles(agents: int, designers: int, steps: int, seed: int) -> None:
    samples = batch(agents, designers)
    for step in deal_steps(samples, 1, steps, seed):
        count = sum(samples[i].role == "designer" for i in step)
        assert abs(count - designers / steps) < 1


def test_the_deal_depends_on_ids_and_seed_but_not_on_the_order_of_lines() -> None:
    samples = batch(20, 5)
    backwards = samples[::-1]

    def names(of: list[TrainingSample], seed: int) -> Any:
        return [[of[i].id for i in step] for step in deal_steps(of, 2, 3, seed)]

    assert names(samples, 1) == names(backwards, 1)
    assert names(samples, 1) != names(samples, 2)
    assert names(samples, 1)[:3] != names(samples, 1)[3:]


@given(LENGTHS, st.integers(1, 400))
def test_micro_batches_hold_everything_and_keep_their_budget(lengths: list[int], budget: int) -> None:
    groups = pack_micro_batches(lengths, budget)
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    assert all(len(group) == 1 or sum(lengths[i] for i in group) <= budget for group in groups)


@given(LENGTHS)
def test_a_bucket_wastes_at_most_its_slack(lengths: list[int]) -> None:
    falling = sorted(lengths, reverse=True)
    runs = bucket_lengths(falling, slack=1.25)
    assert [i for run in runs for i in run] == list(range(len(falling)))
    assert all(falling[run[0]] <= 1.25 * falling[run[-1]] for run in runs)


@given(LENGTHS, st.integers(1, 8))
def test_ranks_share_everything_and_no_rank_is_heavier_by_more_than_one_sequence(
    lengths: list[int], ranks: int
) -> None:
    shares = share_ranks(lengths, ranks)
    assert sorted(i for share in shares for i in share) == list(range(len(lengths)))
    loads = [sum(lengths[i] + lengths[i] ** 2 / 4096 for i in share) for share in shares]
    assert max(loads) - min(loads) <= max(lengths) + max(lengths) ** 2 / 4096 + 1e-9
