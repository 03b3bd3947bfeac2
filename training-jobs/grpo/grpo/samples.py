"""The training batch: one JSON object a line, gzip, as the scoring phase writes it (`TrainingSample`).

Two kinds of defect are told apart. A line that breaks the schema means that the two programs disagree, so the job fails
and names the line. A number that is not finite is an accident of one episode: the sample is left out and counted.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import ContractError

ROLES = ("agent", "designer")
_KEYS = {
    "id",
    "role",
    "group",
    "tokenIds",
    "mask",
    "logprobs",
    "advantage",
    "weight",
    "temperature",
    "policyVersion",
}


@dataclass(frozen=True)
class TrainingSample:
    """One sequence: what the sampler saw and wrote, which of it is trained, and how much it was worth.

    `token_ids` (T,), `mask` (T,) true where the policy wrote the token, `logprobs` (T,) the sampler's log-probability
    (nats) of each trained token under the tempered distribution. `weight` multiplies the sample's share of the loss.
    """

    id: str
    role: str
    group: str
    token_ids: npt.NDArray[np.int64]
    mask: npt.NDArray[np.bool_]
    logprobs: npt.NDArray[np.float64]
    advantage: float
    weight: float
    temperature: float
    policy_version: int

    @property
    def length(self) -> int:
        """Tokens in the sequence."""
        return len(self.token_ids)

    @property
    def trained(self) -> int:
        """Tokens that carry loss."""
        return int(self.mask.sum())


@dataclass
class Batch:
    """Samples in reading order, and how many were left out by reason."""

    samples: list[TrainingSample] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)

    def drop(self, reason: str) -> None:
        """Count one sample that cannot be trained on."""
        self.dropped[reason] = self.dropped.get(reason, 0) + 1


def read_batch(folder: Path, vocabulary: int, max_length: int) -> Batch:
    """Read every `samples*.jsonl.gz` (or `.jsonl`) of a folder in name order.

    :param vocabulary: number of token ids that the policy knows
    :param max_length: positions that the policy can attend to
    :raises ContractError: no such file, or a line that breaks the schema (named by file and line number)
    """
    files = sorted([*folder.glob("samples*.jsonl.gz"), *folder.glob("samples*.jsonl")])
    if not files:
        raise ContractError(f"channel 'batch' has no samples*.jsonl.gz: {folder}")
    batch = Batch()
    seen: set[str] = set()
    for path in files:
        for number, line in enumerate(_lines(path), start=1):
            place = f"{path.name}:{number}"
            sample, reason = _parse_line(line, place, vocabulary, max_length)
            if sample is None:
                batch.drop(reason)
            elif sample.id in seen:
                raise ContractError(f"{place}: id {sample.id!r} appears twice")
            else:
                seen.add(sample.id)
                batch.samples.append(sample)
    return batch


def _lines(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as stream:
            yield from (line for line in stream if line.strip())
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise ContractError(f"{path.name}: {error}") from error


def _parse_line(line: str, place: str, vocabulary: int, max_length: int) -> tuple[TrainingSample | None, str]:
    """The sample, or None and the reason to leave it out."""
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ContractError(f"{place}: not JSON: {error}") from error
    if not isinstance(row, dict) or set(row) != _KEYS:
        odd = set(row) ^ _KEYS if isinstance(row, dict) else "no object"
        raise ContractError(f"{place}: expected the keys of TrainingSample, odd: {odd}")
    _check_shape(row, place, vocabulary, max_length)
    mask = np.array(row["mask"], dtype=np.bool_)
    logprobs = np.array([math.nan if v is None else v for v in row["logprobs"]], dtype=np.float64)
    if not mask.any():
        return None, "no-trained-token"
    if not all(_finite(row[key]) for key in ("advantage", "weight", "temperature")):
        return None, "non-finite-scalar"
    if not np.isfinite(logprobs[mask]).all():
        return None, "non-finite-logprob"
    if row["weight"] <= 0 or row["temperature"] <= 0:
        raise ContractError(f"{place}: weight and temperature must be > 0")
    return _sample(row, mask, logprobs), ""


def _finite(value: Any) -> bool:
    return value is not None and math.isfinite(value)


def _sample(row: dict[str, Any], mask: npt.NDArray[np.bool_], logprobs: npt.NDArray[np.float64]) -> TrainingSample:
    return TrainingSample(
        id=row["id"],
        role=row["role"],
        group=row["group"],
        token_ids=np.array(row["tokenIds"], dtype=np.int64),
        mask=mask,
        # What stands on a token that is not trained must not reach the maths, not even as a NaN times zero.
        logprobs=np.where(mask, logprobs, 0.0),
        advantage=float(row["advantage"]),
        weight=float(row["weight"]),
        temperature=float(row["temperature"]),
        policy_version=int(row["policyVersion"]),
    )


def _check_shape(row: dict[str, Any], place: str, vocabulary: int, max_length: int) -> None:
    tokens, mask, logprobs = row["tokenIds"], row["mask"], row["logprobs"]
    if not all(isinstance(value, list) for value in (tokens, mask, logprobs)):
        raise ContractError(f"{place}: tokenIds, mask and logprobs must be lists")
    if not 2 <= len(tokens) == len(mask) == len(logprobs):
        raise ContractError(f"{place}: lengths {len(tokens)}, {len(mask)}, {len(logprobs)} must be equal and >= 2")
    if len(tokens) > max_length:
        raise ContractError(f"{place}: {len(tokens)} tokens, the policy has {max_length} positions")
    if row["role"] not in ROLES:
        raise ContractError(f"{place}: role {row['role']!r}, expected one of {', '.join(ROLES)}")
    if mask[0] != 0 or not all(value in (0, 1) for value in mask):
        raise ContractError(f"{place}: mask must hold 0 and 1 and start with 0 (the first token has no context)")
    if not all(type(token) is int and 0 <= token < vocabulary for token in tokens):
        raise ContractError(f"{place}: token ids must be integers in 0..{vocabulary - 1}")
