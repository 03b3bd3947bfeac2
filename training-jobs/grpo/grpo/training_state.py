"""Folders that hold everything a job needs to go on: a checkpoint inside a job, or the state the next job takes up.

    state.json             counters (format, optimizerSteps, policyVersion, …)
    optimizer.safetensors  Adam's moments, `exp_avg.<parameter>` and `exp_avg_sq.<parameter>`
    weights.safetensors    trained weights in full precision; in a final state only if the policy was published in less
    run.safetensors        checkpoints only: RNG state and the log-probabilities measured before the first step

A folder is written under another name and renamed, so one that can be seen is whole.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor

from .errors import ContractError
from .files import canonical_json, publish_folder

FORMAT = 1
FINAL = "final"
_STEP = "step-"


@dataclass(frozen=True)
class StoredState:
    """A state folder in memory; tensors are on the CPU."""

    counters: dict[str, Any]
    optimizer: dict[str, Tensor]
    weights: dict[str, Tensor]
    run: dict[str, Tensor]


def save_state(final: Path, counters: Mapping[str, Any], **groups: Mapping[str, Tensor]) -> None:
    """Write a state folder whole; a group without tensors gets no file."""
    part = final.with_name(f".{final.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for name, tensors in groups.items():
        if tensors:
            save_file(
                {key: value.detach().cpu().contiguous() for key, value in tensors.items()}, part / f"{name}.safetensors"
            )
    (part / "state.json").write_text(canonical_json({"format": FORMAT, **counters}) + "\n", encoding="utf-8")
    publish_folder(part, final)


def load_state(folder: Path) -> StoredState:
    """Read a state folder.

    :raises ContractError: unreadable, or written by an unknown version of this format
    """
    try:
        counters = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ContractError(f"training state {folder.name!r}: {error}") from error
    if counters.get("format") != FORMAT:
        raise ContractError(
            f"training state {folder.name!r}: format {counters.get('format')!r}, this trainer reads {FORMAT}"
        )
    groups = {}
    for name in ("optimizer", "weights", "run"):
        path = folder / f"{name}.safetensors"
        groups[name] = load_file(path) if path.is_file() else {}
    return StoredState(counters, **groups)


def step_folder(checkpoints: Path, step: int) -> Path:
    """Folder of the checkpoint taken before step `step`."""
    return checkpoints / f"{_STEP}{step:06d}"


def newest_checkpoint(checkpoints: Path) -> StoredState | None:
    """The furthest whole checkpoint of this job, or None."""
    found = sorted(checkpoints.glob(f"{_STEP}*"))
    return load_state(found[-1]) if found else None


def remove_checkpoints(checkpoints: Path, keep: Path | None = None) -> None:
    """Delete step checkpoints except one; what is deleted here is deleted from S3 too."""
    for folder in [*checkpoints.glob(f"{_STEP}*"), *checkpoints.glob(f".{_STEP}*")]:
        if folder != keep:
            shutil.rmtree(folder)
