"""Configurations that must give one and the same loss and gradient, and inputs that must not matter at all."""

from typing import Any

import pytest
import torch
from grpo_testing.factory import make_rows
from grpo_testing.learner import learner_of, loss_and_gradient, samples_of
from torch import Tensor


def assert_same(first: tuple[float, dict[str, Tensor]], second: tuple[float, dict[str, Tensor]]) -> None:
    assert first[0] == pytest.approx(second[0], rel=1e-10, abs=1e-14)
    for name, gradient in first[1].items():
        torch.testing.assert_close(gradient, second[1][name], rtol=1e-8, atol=1e-12, msg=name)


def padded_loss(model: Any, rows: list[dict[str, Any]], side: str) -> tuple[float, dict[str, Tensor]]:
    """Plain policy-gradient loss as the usual trainers compute it: one padded batch, plain attention, a mask."""
    width = max(len(r["tokenIds"]) for r in rows)

    def pad(values: list[Any]) -> list[Any]:
        fill = [0] * (width - len(values))
        return values + fill if side == "right" else fill + values

    tokens = torch.tensor([pad(r["tokenIds"]) for r in rows])
    visible = torch.tensor([pad([1] * len(r["tokenIds"])) for r in rows])
    kept = torch.tensor([pad(r["mask"]) for r in rows])[:, 1:].double()
    positions = (visible.cumsum(1) - 1).clamp(min=0)
    logits = model(input_ids=tokens, attention_mask=visible, position_ids=positions).logits[:, :-1]
    logits = logits / torch.tensor([r["temperature"] for r in rows], dtype=torch.float64)[:, None, None]
    logp = logits.log_softmax(-1).gather(2, tokens[:, 1:, None])[..., 0]
    advantage = torch.tensor([r["advantage"] for r in rows], dtype=torch.float64)
    weight = torch.tensor([r["weight"] for r in rows], dtype=torch.float64)
    surrogate = -(logp - logp.detach()).exp() * advantage[:, None]
    loss = ((surrogate * kept).sum(1) / kept.sum(1) * weight).sum() / weight.sum()
    model.zero_grad()
    loss.backward()
    return loss.item(), {name: p.grad.clone() for name, p in model.named_parameters()}


@pytest.mark.parametrize("side", ["left", "right"])
def test_packing_equals_padding(exact_model: Any, side: str) -> None:
    rows = make_rows(exact_model, 8)
    ours = loss_and_gradient(learner_of(exact_model), samples_of(rows))
    assert_same(ours, padded_loss(exact_model, rows, side))


@pytest.mark.parametrize("budget", [1, 40, 100])
def test_micro_batches_do_not_change_the_step(exact_model: Any, budget: int) -> None:
    samples = samples_of(make_rows(exact_model, 8))
    whole = loss_and_gradient(learner_of(exact_model), samples)
    assert_same(whole, loss_and_gradient(learner_of(exact_model, max_tokens_per_microbatch=budget), samples))


@pytest.mark.parametrize("settings", [{"logits_chunk": 3}, {"logits_chunk": 1}])
def test_chunked_logits_do_not_change_the_step(exact_model: Any, settings: dict[str, Any]) -> None:
    samples = samples_of(make_rows(exact_model, 6))
    assert_same(
        loss_and_gradient(learner_of(exact_model), samples),
        loss_and_gradient(learner_of(exact_model, **settings), samples),
    )


def test_gradient_checkpointing_does_not_change_the_step(exact_model: Any) -> None:
    samples = samples_of(make_rows(exact_model, 6))
    plain, saving = learner_of(exact_model), learner_of(exact_model)
    saving.policy.lm.gradient_checkpointing_enable({"use_reentrant": False})  # type: ignore[union-attr, operator]
    assert_same(loss_and_gradient(plain, samples), loss_and_gradient(saving, samples))


def test_the_order_of_samples_does_not_change_the_step(exact_model: Any) -> None:
    samples = samples_of(make_rows(exact_model, 8))
    learner = learner_of(exact_model)
    assert_same(loss_and_gradient(learner, samples), loss_and_gradient(learner, samples[::-1]))


def test_a_sample_in_two_equal_halves_of_weight_is_one_sample(exact_model: Any) -> None:
    rows = make_rows(exact_model, 4, weight=1.0)
    halves = [{**rows[0], "id": name, "weight": 0.5} for name in ("first", "second")]
    learner = learner_of(exact_model)
    assert_same(
        loss_and_gradient(learner, samples_of(rows)), loss_and_gradient(learner, samples_of([*halves, *rows[1:]]))
    )


def test_zero_advantage_gives_exactly_no_gradient(exact_model: Any) -> None:
    loss, gradient = loss_and_gradient(learner_of(exact_model), samples_of(make_rows(exact_model, 6, advantage=0.0)))
    assert loss == 0
    assert not any(g.any() for g in gradient.values())


def test_a_samples_own_gradient_is_its_advantage_times_that_of_one(exact_model: Any) -> None:
    learner = learner_of(exact_model)
    one, many = (loss_and_gradient(learner, samples_of(make_rows(exact_model, 1, advantage=a))) for a in (1.0, -2.5))
    assert_same((-2.5 * one[0], {n: -2.5 * g for n, g in one[1].items()}), many)


def test_tokens_after_the_last_trained_one_have_no_influence(exact_model: Any) -> None:
    rows = make_rows(exact_model, 4)
    for row in rows:
        row["mask"][-3:] = [0, 0, 0]
        row["mask"][2] = 1
    other = [{**row, "tokenIds": [*row["tokenIds"][:-3], 7, 8, 9]} for row in rows]
    learner = learner_of(exact_model)
    assert_same(loss_and_gradient(learner, samples_of(rows)), loss_and_gradient(learner, samples_of(other)))


def test_a_neighbour_in_the_pack_has_no_influence(exact_model: Any) -> None:
    rows = make_rows(exact_model, 4)
    quiet = [{**row, "advantage": 0.0} for row in rows[1:]]
    changed = [{**row, "tokenIds": [(t + 5) % 61 for t in row["tokenIds"]]} for row in quiet]
    learner = learner_of(exact_model)
    first, second = (loss_and_gradient(learner, samples_of([rows[0], *rest])) for rest in (quiet, changed))
    assert_same(first, second)


def test_float32_follows_float64(model: Any, exact_model: Any) -> None:
    samples = samples_of(make_rows(exact_model, 8))
    (loss, gradient), (exact, exactly) = (loss_and_gradient(learner_of(m), samples) for m in (model, exact_model))
    assert loss == pytest.approx(exact, rel=1e-4, abs=1e-6)
    for name in gradient:
        torch.testing.assert_close(gradient[name].double(), exactly[name], rtol=1e-3, atol=1e-5)
