"""T15, T16: what may stand in a batch, what is left out of it, and what stops the job."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from grpo.errors import ContractError
from grpo.samples import read_batch
from grpo_testing.factory import write_batch

ROW: dict[str, Any] = {
    "id": "a",
    "role": "agent",
    "group": "g",
    "tokenIds": [3, 4, 5, 6],
    "mask": [0, 0, 1, 1],
    "logprobs": [0, 0, -0.5, -0.25],
    "advantage": 1.0,
    "weight": 1.0,
    "temperature": 0.6,
    "policyVersion": 3,
}


def read(folder: Path, *rows: Any) -> Any:
    write_batch(folder, rows)
    return read_batch(folder, vocabulary=10, max_length=8)


def test_a_sample_is_read_as_written(tmp_path: Path) -> None:
    (sample,) = read(tmp_path, ROW).samples
    assert (sample.length, sample.trained, sample.temperature, sample.policy_version) == (4, 2, 0.6, 3)
    np.testing.assert_array_equal(sample.logprobs, [0, 0, -0.5, -0.25])


@pytest.mark.parametrize("value", [-100.0, None, float("nan"), float("-inf")])
def test_a_logprob_on_a_token_that_is_not_trained_is_nobodys_business(tmp_path: Path, value: Any) -> None:
    (sample,) = read(tmp_path, {**ROW, "logprobs": [0, value, -0.5, -0.25]}).samples
    np.testing.assert_array_equal(sample.logprobs, [0, 0, -0.5, -0.25])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"logprobs": [0, 0, None, -0.25]}, "non-finite-logprob"),
        ({"logprobs": [0, 0, float("nan"), -0.25]}, "non-finite-logprob"),
        ({"advantage": float("nan")}, "non-finite-scalar"),
        ({"advantage": None}, "non-finite-scalar"),
        ({"weight": float("inf")}, "non-finite-scalar"),
        ({"mask": [0, 0, 0, 0]}, "no-trained-token"),
    ],
)
def test_an_accident_costs_one_sample_and_is_counted(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    batch = read(tmp_path, {**ROW, **change}, {**ROW, "id": "b"})
    assert [s.id for s in batch.samples] == ["b"]
    assert batch.dropped == {reason: 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mask": [0, 1, 1]}, "lengths 4, 3, 4"),
        ({"mask": [1, 0, 1, 1]}, "start with 0"),
        ({"mask": [0, 0, 2, 1]}, "0 and 1"),
        ({"tokenIds": [3, 4, 5, 10]}, r"0\.\.9"),
        ({"tokenIds": [3, 4, 5, -1]}, r"0\.\.9"),
        ({"tokenIds": [3, 4, 5, 6.5]}, r"0\.\.9"),
        ({"tokenIds": [1], "mask": [0], "logprobs": [0]}, ">= 2"),
        ({"tokenIds": [1] * 9, "mask": [0] + [1] * 8, "logprobs": [0] * 9}, "8 positions"),
        ({"role": "judge"}, "agent, designer"),
        ({"weight": 0}, "> 0"),
        ({"temperature": 0}, "> 0"),
        ({"reward": 1}, "reward"),
    ],
)
def test_a_breach_of_the_schema_names_file_and_line(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(ContractError, match=message) as caught:
        read(tmp_path, ROW, {**ROW, "id": "b", **change})
    assert "samples.jsonl.gz:2" in str(caught.value)


def test_one_id_twice_is_refused_since_copies_would_count_twice(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="twice"):
        read(tmp_path, ROW, ROW)


def test_a_missing_batch_is_named(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="samples"):
        read_batch(tmp_path, 10, 8)


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    write_batch(tmp_path, [{**ROW, "id": str(i)} for i in range(50)])
    path = tmp_path / "samples.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(ContractError, match=r"samples\.jsonl\.gz"):
        read_batch(tmp_path, 10, 8)
