"""Whole jobs in SageMaker's folder layout: what they leave behind, and when they leave the policy alone."""

import gzip
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import torch
from grpo.__main__ import run
from grpo.job import JobFolders
from grpo_testing.factory import make_job, make_rows, sampler_logprobs, tiny_model
from safetensors.torch import load_file

Train = Callable[..., Path]


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def weights(root: Path) -> dict[str, torch.Tensor]:
    return load_file(root / "model" / "model.safetensors")


def policy_of(root: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(root / "model").eval()


def likelihood(model: Any, rows: list[dict[str, Any]]) -> float:
    """Sum of log-probabilities of the trained tokens."""
    return sum(
        logp
        for row in rows
        for logp, kept in zip(sampler_logprobs(model, row["tokenIds"], row["temperature"]), row["mask"], strict=True)
        if kept
    )


@pytest.mark.parametrize("role", ["agent", "designer"])
def test_rewarded_samples_become_likelier_and_punished_ones_less_so(trained: Train, model: Any, role: str) -> None:
    rows = make_rows(model, 8, role=role)
    for number, row in enumerate(rows):
        row["advantage"] = 1.0 if number % 2 else -1.0
    after = policy_of(trained(rows, learning_rate=3e-3))
    good, bad = rows[1::2], rows[0::2]
    assert likelihood(after, good) > likelihood(model, good)
    assert likelihood(after, bad) < likelihood(model, bad)


@pytest.mark.parametrize(("role", "other"), [("agent", "designer"), ("designer", "agent")])
def test_a_role_of_weight_zero_does_not_learn(trained: Train, model: Any, role: str, other: str) -> None:
    rows = make_rows(model, 6, role=role)
    silent = [
        {**row, "id": f"other-{i}", "role": other, "advantage": 5.0} for i, row in enumerate(make_rows(model, 6, 1))
    ]
    both = trained(rows + silent, **{f"{other}_weight": 0.0, "max_grad_norm": 1e9, "weight_decay": 0.0})
    alone = trained(rows, max_grad_norm=1e9, weight_decay=0.0)
    for name, tensor in weights(both).items():
        torch.testing.assert_close(tensor, weights(alone)[name], rtol=0, atol=2e-4)


def test_the_same_job_twice_gives_the_same_bytes(trained: Train) -> None:
    first, second = (trained(epochs=2, steps_per_epoch=2) for _ in range(2))

    def digests(root: Path) -> dict[str, str]:
        files = [p for p in [*root.rglob("model/*"), *root.rglob("checkpoints/**/*")] if p.is_file()]
        return {str(p.relative_to(root)): sha256(p.read_bytes()).hexdigest() for p in files if p.name != "timings.json"}

    assert digests(first) == digests(second)
    assert "checkpoints/final/optimizer.safetensors" in digests(first)


def test_outputs_are_those_of_the_contract(trained: Train, model: Any) -> None:
    root = trained(policy_version=4, steps_per_epoch=2)
    summary = read(root / "checkpoints" / "summary.json")
    assert set(summary) == {
        "policyVersion",
        "steps",
        "skippedSteps",
        "samples",
        "tokens",
        "loss",
        "lossByRole",
        "gradientNorm",
        "samplerGap",
        "clipFraction",
        "status",
    }
    assert (summary["policyVersion"], summary["steps"], summary["status"]) == (4, 2, "completed")
    assert summary["samples"] == {"agent": 8, "designer": 4}
    assert summary["tokens"] == sum(len(row["tokenIds"]) for row in make_rows(model, 12))
    assert summary["samplerGap"] < 1e-4
    rows = [json.loads(line) for line in (root / "checkpoints" / "metrics.jsonl").read_text().splitlines()]
    assert [row["event"] for row in rows] == ["batch", "step", "step"]
    assert not list((root / "checkpoints").glob("step-*"))
    assert not (root / "output" / "failure").exists()


def test_the_manifest_lists_every_file_of_the_policy_with_its_hash(trained: Train) -> None:
    folder = trained() / "model"
    manifest = read(folder / "training-manifest.json")
    found = {p.name: sha256(p.read_bytes()).hexdigest() for p in folder.iterdir() if p.name != "training-manifest.json"}
    assert manifest["files"] == found
    assert {"config.json", "model.safetensors", "README.md"} <= set(found)


def test_the_probe_is_what_anyone_gets_from_the_published_weights(trained: Train) -> None:
    root = trained()
    probe = read(root / "checkpoints" / "probe.json")
    after = policy_of(root)
    assert len(probe["sequences"]) == 8
    for sequence in probe["sequences"]:
        assert sequence["logprobs"][0] is None
        assert sequence["logprobs"][1:] == pytest.approx(sampler_logprobs(after, sequence["tokenIds"])[1:], abs=1e-4)


def test_a_corrupted_tensor_shows_in_the_probe(trained: Train) -> None:
    """T17: the check that publishing makes would see it."""
    root = trained()
    after = policy_of(root)
    with torch.no_grad():
        after.model.layers[0].mlp.up_proj.weight.mul_(-1)
    gaps = [
        abs(a - b)
        for s in read(root / "checkpoints" / "probe.json")["sequences"]
        for a, b in zip(s["logprobs"][1:], sampler_logprobs(after, s["tokenIds"])[1:], strict=True)
    ]
    assert sum(gaps) / len(gaps) > 0.05


def test_a_job_in_two_halves_with_carried_state_equals_adam_over_both(trained: Train, model: Any) -> None:
    """M34: the second job goes on with the moments and the step count of the first."""
    rows = make_rows(model, 6)
    first = trained(rows)
    policy = policy_of(first)
    second_rows = make_rows(policy, 6, 1)
    carried = continue_job(first, policy, second_rows, "carry")
    fresh = continue_job(first, policy, second_rows, "fresh")
    assert read(carried / "checkpoints" / "final" / "state.json")["optimizerSteps"] == 2
    assert read(fresh / "checkpoints" / "final" / "state.json")["optimizerSteps"] == 1
    name = "model.layers.0.mlp.up_proj.weight"
    gradient = load_file(fresh / "checkpoints" / "final" / "optimizer.safetensors")[f"exp_avg.{name}"] / 0.1
    moments = load_file(first / "checkpoints" / "final" / "optimizer.safetensors")
    expected = adamw(weights(first)[name], gradient, moments[f"exp_avg.{name}"], moments[f"exp_avg_sq.{name}"], step=2)
    torch.testing.assert_close(weights(carried)[name], expected, rtol=1e-5, atol=1e-7)


def adamw(w: torch.Tensor, g: torch.Tensor, m: torch.Tensor, v: torch.Tensor, step: int) -> torch.Tensor:
    """One AdamW step from the paper's formulas (arXiv:1711.05101), method.md's betas, rate 1e-3, decay 0.1."""
    m, v = 0.9 * m + 0.1 * g, 0.98 * v + 0.02 * g * g
    return w * (1 - 1e-3 * 0.1) - 1e-3 * (m / (1 - 0.9**step)) / ((v / (1 - 0.98**step)).sqrt() + 1e-8)


def continue_job(before: Path, policy: Any, rows: list[dict[str, Any]], optimizer_state: str) -> Path:
    root = before.parent / f"{before.name}-{optimizer_state}"
    make_job(root, policy, rows, policy_version=2, optimizer_state=optimizer_state)
    (root / "input" / "data" / "state").symlink_to(before / "checkpoints" / "final")
    assert run(JobFolders(root)) == 0
    return root


def test_a_batch_without_samples_leaves_the_policy_alone(trained: Train, model: Any) -> None:
    root = trained([])
    assert read(root / "checkpoints" / "summary.json")["status"] == "no-update"
    for name, tensor in weights(root).items():
        assert torch.equal(tensor, model.state_dict()[name])


def test_samples_of_another_policy_are_not_trained_on(trained: Train, model: Any) -> None:
    rows = make_rows(tiny_model(seed=5), 6)
    root = trained(rows)
    summary = read(root / "checkpoints" / "summary.json")
    assert (summary["status"], summary["steps"], summary["skippedSteps"]) == ("no-update", 0, 1)
    assert summary["samplerGap"] > 0.5
    for name, tensor in weights(root).items():
        assert torch.equal(tensor, model.state_dict()[name])


def test_old_samples_may_be_far_from_the_policy(trained: Train, model: Any) -> None:
    """Designer samples that waited for their window's end (M12) are corrected, not counted as a mismatch."""
    rows = make_rows(model, 6, policyVersion=3)
    waited = [{**row, "id": f"old-{i}", "policyVersion": 1} for i, row in enumerate(make_rows(tiny_model(seed=5), 3))]
    summary = read(trained(rows + waited, policy_version=4) / "checkpoints" / "summary.json")
    assert summary["status"] == "completed"
    assert summary["samplerGap"] < 1e-4


def test_an_infinite_gradient_skips_the_step_and_keeps_the_weights(trained: Train, model: Any) -> None:
    """T15, M24."""
    rows = make_rows(model, 6, advantage=1e39)
    root = trained(rows, epochs=5)
    summary = read(root / "checkpoints" / "summary.json")
    assert (summary["status"], summary["steps"], summary["skippedSteps"]) == ("no-update", 0, 3)
    for name, tensor in weights(root).items():
        assert torch.equal(tensor, model.state_dict()[name])


def test_one_bad_step_among_good_ones_is_skipped_and_counted(trained: Train, model: Any) -> None:
    rows = make_rows(model, 6)
    rows[0]["advantage"] = 1e39
    summary = read(trained(rows, steps_per_epoch=3) / "checkpoints" / "summary.json")
    assert (summary["status"], summary["steps"], summary["skippedSteps"]) == ("completed", 2, 1)


def test_a_broken_policy_is_never_published(trained: Train) -> None:
    broken = tiny_model()
    with torch.no_grad():
        broken.model.norm.weight[3] = float("nan")
    root = trained(make_rows(tiny_model(), 4), expect=1, policy=broken)
    assert not (root / "model" / "model.safetensors").exists()
    assert (root / "output" / "failure").read_text().startswith("NonFiniteWeights")


@pytest.mark.parametrize(
    ("channel", "reason"), [("policy", "channel 'policy' is missing"), ("batch", "channel 'batch' is missing")]
)
def test_a_missing_channel_is_the_failure_reason(tmp_path: Path, model: Any, channel: str, reason: str) -> None:
    root = make_job(tmp_path / "job", model, make_rows(model, 2))
    (root / "input" / "data" / channel).rename(tmp_path / "gone")
    assert run(JobFolders(root)) == 1
    assert reason in (root / "output" / "failure").read_text()


def test_the_failure_reason_fits_sagemaker(tmp_path: Path, model: Any) -> None:
    root = make_job(tmp_path / "job", model, make_rows(model, 2), **{"x" * 3000: 1})
    assert run(JobFolders(root)) == 1
    assert len((root / "output" / "failure").read_text()) == 1024


def test_kl_pulls_towards_the_reference(tmp_path: Path, model: Any) -> None:
    """Without advantages only the divergence is left: training must bring the policy nearer to the reference."""
    rows = make_rows(model, 8, advantage=0.0)
    root = make_job(tmp_path / "job", model, rows, kl_coef=1.0, epochs=6, learning_rate=3e-3)
    anchor = tiny_model(seed=0)
    with torch.no_grad():
        torch.manual_seed(9)
        for p in anchor.parameters():
            p.add_(0.02 * torch.randn_like(p))
    anchor.save_pretrained(root / "input" / "data" / "reference")
    assert run(JobFolders(root)) == 0
    steps = [json.loads(line) for line in (root / "checkpoints" / "metrics.jsonl").read_text().splitlines()][1:]
    assert steps[0]["kl"] > 1e-3
    assert steps[-1]["kl"] < 0.7 * steps[0]["kl"]


def test_plain_json_lines_are_read_like_compressed_ones(tmp_path: Path, model: Any) -> None:
    root = make_job(tmp_path / "job", model, make_rows(model, 4))
    packed = root / "input" / "data" / "batch" / "samples.jsonl.gz"
    packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    packed.unlink()
    assert run(JobFolders(root)) == 0
