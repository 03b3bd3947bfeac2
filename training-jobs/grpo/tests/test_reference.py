"""The trainer's loss and gradient against an independent NumPy reference in float64."""

from typing import Any

import numpy as np
import pytest
import torch
from grpo.step import Known
from grpo_testing.factory import make_rows, tiny_model
from grpo_testing.learner import learner_of, loss_and_gradient, samples_of
from grpo_testing.reference import batch_loss

PLAIN = {
    "clip_low": 0.2,
    "clip_high": 0.28,
    "tis_cap": 2.0,
    "kl_coef": 0.0,
    "entropy_coef": 0.0,
    "agent_weight": 1.0,
    "designer_weight": 1.0,
    "aggregation": "sample-mean",
}
FULL = {
    **PLAIN,
    "kl_coef": 0.3,
    "entropy_coef": 0.05,
    "designer_weight": 0.4,
    "aggregation": "token-mean",
    "tis_cap": 1.1,
}


def logits_of(model: Any, rows: list[dict[str, Any]]) -> list[np.ndarray[Any, Any]]:
    with torch.no_grad():
        return [model(torch.tensor([row["tokenIds"]])).logits[0].double().numpy() for row in rows]


def trained_logprobs(logits: list[np.ndarray[Any, Any]], rows: list[dict[str, Any]]) -> torch.Tensor:
    """Log-probabilities of all trained tokens in the order of the rows."""
    found = []
    for table, row in zip(logits, rows, strict=True):
        logs = torch.log_softmax(torch.from_numpy(table) / row["temperature"], dim=-1)
        found += [logs[at - 1, row["tokenIds"][at]] for at, kept in enumerate(row["mask"]) if kept]
    return torch.stack(found)


def moved(model: Any, scale: float, seed: int) -> Any:
    """The model after a small random step: a policy near, but not at, the one that sampled."""
    other = tiny_model(dtype=torch.float64)
    torch.manual_seed(seed)
    with torch.no_grad():
        for mine, theirs in zip(other.parameters(), model.parameters(), strict=True):
            mine.copy_(theirs + scale * torch.randn_like(theirs))
    return other


@pytest.mark.parametrize("settings", [PLAIN, FULL], ids=["defaults", "all-terms"])
def test_loss_equals_the_reference(exact_model: Any, settings: dict[str, Any]) -> None:
    rows = make_rows(exact_model, 9)
    now, before, anchor = moved(exact_model, 0.02, 1), moved(exact_model, 0.02, 2), moved(exact_model, 0.05, 3)
    tables = [logits_of(m, rows) for m in (now, before, anchor)]
    uses_reference = settings["kl_coef"] > 0
    expected = batch_loss(rows, tables[0], tables[1], tables[2] if uses_reference else None, settings)
    known = (
        Known(*(trained_logprobs(t, rows) for t in tables[1:]))
        if uses_reference
        else Known(trained_logprobs(tables[1], rows))
    )
    loss, _ = loss_and_gradient(learner_of(now, **settings), samples_of(rows), known)
    assert loss == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("settings", [PLAIN, FULL], ids=["defaults", "all-terms"])
def test_gradient_equals_differences_of_the_reference(exact_model: Any, settings: dict[str, Any]) -> None:
    rows = make_rows(exact_model, 5)
    before, anchor = moved(exact_model, 0.02, 2), moved(exact_model, 0.05, 3)
    old, far = logits_of(before, rows), logits_of(anchor, rows)
    reference = far if settings["kl_coef"] else None
    known = Known(trained_logprobs(old, rows), trained_logprobs(far, rows) if reference else None)
    _, gradient = loss_and_gradient(learner_of(exact_model, **settings), samples_of(rows), known)
    for name, parameter in exact_model.named_parameters():
        flat, place = parameter.data.view(-1), int(gradient[name].abs().argmax())
        centre, losses = float(flat[place]), []
        for nudge in (1e-5, -1e-5):
            flat[place] = centre + nudge
            losses.append(batch_loss(rows, logits_of(exact_model, rows), old, reference, settings))
        flat[place] = centre
        slope = (losses[0] - losses[1]) / 2e-5
        assert float(gradient[name].view(-1)[place]) == pytest.approx(slope, rel=1e-5, abs=1e-9), name


def test_the_first_step_is_the_same_whether_old_logprobs_were_measured_or_not(exact_model: Any) -> None:
    rows = make_rows(exact_model, 6)
    samples = samples_of(rows)
    measured = Known(trained_logprobs(logits_of(exact_model, rows), rows))
    learner = learner_of(exact_model)
    loss, gradient = loss_and_gradient(learner, samples)
    other_loss, other = loss_and_gradient(learner, samples, measured)
    assert loss == pytest.approx(other_loss, rel=1e-12)
    for name in gradient:
        torch.testing.assert_close(gradient[name], other[name], rtol=1e-9, atol=1e-12)
