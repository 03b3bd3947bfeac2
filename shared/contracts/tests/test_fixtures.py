"""The wire fixtures as the Python side reads and writes them; `fixtures.test.ts` reads the same files."""

import json
from pathlib import Path
from typing import Any

import pytest
from grpo.errors import ContractError
from grpo.metrics import summary
from grpo.samples import Batch, read_batch

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


def load(name: str) -> dict[str, Any]:
    return json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))


def as_batch(folder: Path, row: dict[str, Any]) -> Batch:
    (folder / "samples.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return read_batch(folder, vocabulary=100, max_length=64)


def test_trainer_reads_every_field_of_a_training_sample(tmp_path: Path) -> None:
    row = load("training-sample")
    (sample,) = as_batch(tmp_path, row).samples
    assert sample.id == row["id"]
    assert sample.role == row["role"]
    assert sample.group == row["group"]
    assert sample.token_ids.tolist() == row["tokenIds"]
    assert sample.mask.astype(int).tolist() == row["mask"]
    assert sample.logprobs.tolist() == row["logprobs"]
    assert (sample.advantage, sample.weight, sample.temperature) == (
        row["advantage"],
        row["weight"],
        row["temperature"],
    )
    assert sample.policy_version == row["policyVersion"]


@pytest.mark.parametrize("key", ["id", "tokenIds", "mask", "logprobs", "advantage", "policyVersion"])
def test_trainer_refuses_a_sample_without(tmp_path: Path, key: str) -> None:
    row = load("training-sample")
    del row[key]
    with pytest.raises(ContractError):
        as_batch(tmp_path, row)


def test_trainer_refuses_a_trained_first_token(tmp_path: Path) -> None:
    row = load("training-sample")
    with pytest.raises(ContractError):
        as_batch(tmp_path, {**row, "mask": [1, *row["mask"][1:]]})


def test_summary_has_the_keys_of_the_fixture() -> None:
    written = summary(1, [], {"agent": 0, "designer": 0}, done=True)
    assert written.keys() == load("training-summary").keys()
    assert written["lossByRole"].keys() == load("training-summary")["lossByRole"].keys()


def test_probe_has_one_logprob_a_token_and_none_for_the_first() -> None:
    for sequence in load("probe")["sequences"]:
        assert len(sequence["tokenIds"]) == len(sequence["logprobs"])
        assert sequence["logprobs"][0] is None
