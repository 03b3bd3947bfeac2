"""LoRA: only adapters learn, what is published loads on the base model, and merging changes nothing."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from grpo.__main__ import run
from grpo.job import JobFolders
from grpo_testing.factory import make_job, make_rows, sampler_logprobs, tiny_model
from peft import PeftModel

Train = Callable[..., Path]
SETTINGS = {"lora_rank": 4, "learning_rate": 1e-2, "weight_decay": 0.0}


def adapted(root: Path) -> Any:
    """The base model with the job's adapter, through peft alone."""
    return PeftModel.from_pretrained(tiny_model(), str(root / "model")).eval()


def test_the_archive_holds_the_adapter_at_its_root_and_no_model(trained: Train) -> None:
    folder = trained(**SETTINGS) / "model"
    names = {p.name for p in folder.iterdir()}
    assert names == {"adapter_config.json", "adapter_model.safetensors", "README.md", "training-manifest.json"}
    assert json.loads((folder / "adapter_config.json").read_text())["base_model_name_or_path"] == "base"
    assert json.loads((folder / "training-manifest.json").read_text())["kind"] == "adapter"


def test_rewarded_samples_become_likelier(trained: Train, model: Any) -> None:
    rows = make_rows(model, 6)
    for number, row in enumerate(rows):
        row["advantage"] = 1.0 if number % 2 else -1.0
    after = adapted(trained(rows, **SETTINGS, epochs=3))
    gains = [
        sum(
            a - b
            for a, b, kept in zip(
                sampler_logprobs(after, r["tokenIds"]), sampler_logprobs(model, r["tokenIds"]), r["mask"], strict=True
            )
            if kept
        )
        for r in rows
    ]
    assert sum(gains[1::2]) > 0 > sum(gains[0::2])


def test_merged_equals_unmerged_equals_the_probe(trained: Train) -> None:
    root = trained(**SETTINGS, epochs=2)
    probe = json.loads((root / "checkpoints" / "probe.json").read_text())["sequences"]
    unmerged = adapted(root)
    merged = adapted(root).merge_and_unload()
    base = tiny_model()
    for sequence in probe:
        tokens = sequence["tokenIds"]
        expected = sequence["logprobs"][1:]
        assert sampler_logprobs(unmerged, tokens)[1:] == pytest.approx(expected, abs=1e-4)
        assert sampler_logprobs(merged, tokens)[1:] == pytest.approx(expected, abs=1e-4)
    assert sampler_logprobs(base, tokens)[1:] != pytest.approx(expected, abs=1e-3)


def test_the_next_job_goes_on_with_adapter_and_moments(trained: Train, tmp_path: Path, model: Any) -> None:
    first = trained(**SETTINGS)
    policy = adapted(first)
    root = make_job(tmp_path / "second", model, make_rows(policy.merge_and_unload(), 6), **SETTINGS, policy_version=2)
    data = root / "input" / "data"
    (data / "policy").rename(data / "base")
    shutil.copytree(first / "model", data / "policy")
    shutil.copytree(first / "checkpoints" / "final", data / "state")
    assert run(JobFolders(root)) == 0
    summary = json.loads((root / "checkpoints" / "summary.json").read_text())
    assert summary["samplerGap"] < 1e-3
    assert json.loads((root / "checkpoints" / "final" / "state.json").read_text())["optimizerSteps"] == 2


def test_a_divergence_without_reference_is_measured_against_the_model_below(trained: Train) -> None:
    root = trained(**SETTINGS, epochs=3, kl_coef=0.1)
    rows = [json.loads(line) for line in (root / "checkpoints" / "metrics.jsonl").read_text().splitlines()][1:]
    assert rows[0]["kl"] == pytest.approx(0, abs=1e-9)
    assert rows[2]["kl"] > 1e-6


@pytest.mark.parametrize(("rank", "base", "reason"), [(4, False, "channel 'base'"), (0, True, "lora_rank")])
def test_an_adapter_without_what_it_needs_is_refused(
    trained: Train, tmp_path: Path, model: Any, rank: int, base: bool, reason: str
) -> None:
    first = trained(**SETTINGS)
    root = make_job(tmp_path / "second", model, make_rows(model, 2), lora_rank=rank)
    data = root / "input" / "data"
    (data / "policy").rename(data / ("base" if base else "elsewhere"))
    shutil.copytree(first / "model", data / "policy")
    assert run(JobFolders(root)) == 1
    assert reason in (root / "output" / "failure").read_text()


def test_half_precision_trains_adapters_in_full_precision(trained: Train) -> None:
    from safetensors.torch import load_file

    root = trained(**SETTINGS, precision="bfloat16")
    adapter = load_file(root / "model" / "adapter_model.safetensors")
    assert {t.dtype for t in adapter.values()} == {torch.float32}
    assert json.loads((root / "checkpoints" / "summary.json").read_text())["status"] == "completed"
