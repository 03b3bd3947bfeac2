"""The recipe is reproducible, resumable, and each of its parts does what the others count on."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import torch
from tiny_policy.batches import Sequence, encode, microbatches, padded
from tiny_policy.checkpoint import load_policy
from tiny_policy.demonstrations import MIXTURE, conversation, play_demonstration
from tiny_policy.model import fresh_model
from tiny_policy.muon import Muon, orthogonalised
from tiny_policy.prompts import Message
from tiny_policy.recipe import Recipe, rate
from tiny_policy.tokenizer import Codec, train_tokenizer
from tiny_policy.train import accumulate, shared_mean, train

SHORT = Recipe(
    steps=4, step_tokens=600, microbatch_tokens=400, warmup=2, workers=1, checkpoint_every=2, tokenizer_texts=60
)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_policy(folder)[0].state_dict()


def same(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(left[name], right[name]) for name in left)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    train(folder, SHORT)
    return folder


def test_the_same_seed_gives_the_same_weights(whole: Path, tmp_path: Path) -> None:
    train(tmp_path, SHORT)
    assert same(weights(tmp_path), weights(whole))


def test_a_run_that_was_interrupted_ends_with_the_same_weights(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tiny_policy import train as module

    def dies(codec: Codec, recipe: Recipe, step: int, worker: int) -> list[Sequence]:
        if step == 3:
            raise KeyboardInterrupt
        return original(codec, recipe, step, worker)

    original = module.step_sequences
    monkeypatch.setattr(module, "step_sequences", dies)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path, SHORT)
    monkeypatch.undo()
    train(tmp_path, SHORT)
    assert same(weights(tmp_path), weights(whole))


def test_a_checkpoint_of_another_recipe_is_refused(whole: Path) -> None:
    with pytest.raises(ValueError, match="another recipe"):
        train(whole, Recipe(steps=5, workers=1, tokenizer_texts=60))


def test_only_the_assistant_s_text_and_end_token_are_learnt() -> None:
    codec = Codec(train_tokenizer(["add the tide 3 4"]))
    talk = [Message("user", "add 3 4"), Message("assistant", "7")]
    sequence = encode(codec, talk)
    learnt = [token for token, wanted in zip(sequence.tokens, sequence.learnt, strict=True) if wanted]
    assert learnt == [*codec.content("7"), codec.end]


def test_splitting_a_step_into_microbatches_does_not_change_its_gradient() -> None:
    codec = Codec(train_tokenizer(["add the tide 3 4"]))
    rng = Random(0)
    sequences = [encode(codec, play_demonstration(rng, hinted=True)) for _ in range(6)]
    gradients = []
    for budget in (10, 10_000):
        model = fresh_model(len(codec.tokenizer), codec.pad, codec.end, 0).double()
        loss = shared_mean(list(model.parameters()), *accumulate(model, sequences, budget, codec.pad))
        gradients.append((loss, [parameter.grad for parameter in model.parameters()]))
    assert gradients[0][0] == pytest.approx(gradients[1][0], abs=1e-6)
    for left, right in zip(gradients[0][1], gradients[1][1], strict=True):
        torch.testing.assert_close(left, right, atol=1e-9, rtol=1e-6)


def test_microbatches_hold_every_sequence_once_within_the_budget() -> None:
    sequences = [Sequence([0] * length, [True] * length) for length in (5, 30, 7, 12, 60, 3)]
    batches = list(microbatches(sequences, 36))
    assert sorted(len(each.tokens) for batch in batches for each in batch) == [3, 5, 7, 12, 30, 60]
    assert all(len(batch) == 1 or len(batch) * len(batch[-1].tokens) <= 36 for batch in batches)


def test_padding_is_never_learnt() -> None:
    inputs, labels = padded([Sequence([5, 6], [False, True]), Sequence([7], [True])], 0)
    assert inputs.tolist() == [[5, 6], [7, 0]]
    assert labels.tolist() == [[-100, 6], [7, -100]]


def test_the_rate_rises_then_falls() -> None:
    recipe = Recipe(steps=100, warmup=10)
    rates = [rate(recipe, step) for step in range(100)]
    assert max(rates) == rates[rates.index(max(rates))] <= recipe.learning_rate
    assert rates[0] < rates[5] < max(rates)
    assert rates[99] < 0.05 * recipe.learning_rate


def test_orthogonalised_matrices_keep_their_directions_and_have_singular_values_near_one() -> None:
    torch.manual_seed(0)
    matrix = torch.randn(24, 40)
    u, _, v = torch.linalg.svd(matrix, full_matrices=False)
    inner = u.T @ orthogonalised(matrix) @ v.T
    assert (inner - torch.diag(inner.diagonal())).abs().max() < 0.02
    assert inner.diagonal().min() > 0.5
    assert inner.diagonal().max() < 1.4


def test_muon_goes_downhill() -> None:
    torch.manual_seed(0)
    target, matrix = torch.randn(6, 9), torch.zeros(6, 9, requires_grad=True)
    solver = Muon([matrix], lr=0.05)
    losses = []
    for _ in range(60):
        solver.zero_grad()
        loss = (matrix - target).square().mean()
        loss.backward()
        solver.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]


def test_the_mixture_is_a_distribution_and_conversations_end_with_the_assistant() -> None:
    assert sum(share for share, _ in MIXTURE) == pytest.approx(1.0)
    rng = Random(3)
    assert all(conversation(rng)[-1].role == "assistant" for _ in range(40))
