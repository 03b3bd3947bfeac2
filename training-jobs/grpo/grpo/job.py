"""Where things are in a SageMaker training container, relative to one root (`/opt/ml` there, any folder on a
laptop).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import ContractError


@dataclass(frozen=True)
class JobFolders:
    """The container contract of a training job as paths; nothing is created by naming it."""

    root: Path

    @property
    def hyperparameters(self) -> Path:
        """JSON object of strings."""
        return self.root / "input" / "config" / "hyperparameters.json"

    @property
    def model(self) -> Path:
        """What becomes model.tar.gz: the published policy and nothing else."""
        return self.root / "model"

    @property
    def checkpoints(self) -> Path:
        """Synced uncompressed to CheckpointConfig.S3Uri while the job runs."""
        return self.root / "checkpoints"

    @property
    def failure(self) -> Path:
        """Its first 1,024 characters become FailureReason."""
        return self.root / "output" / "failure"

    def channel(self, name: str) -> Path:
        """Folder of an input channel; it exists only if the job was given the channel."""
        return self.root / "input" / "data" / name

    def optional_channel(self, name: str) -> Path | None:
        """The folder, or None when the channel is absent or empty (an empty S3 prefix makes an empty folder)."""
        folder = self.channel(name)
        return folder if folder.is_dir() and any(folder.iterdir()) else None

    def required_channel(self, name: str) -> Path:
        """The folder.

        :raises ContractError: when the channel is absent or empty.
        """
        folder = self.optional_channel(name)
        if folder is None:
            raise ContractError(f"channel {name!r} is missing or empty: {self.channel(name)}")
        return folder


def read_hyperparameters(folders: JobFolders) -> dict[str, Any]:
    """The job's hyperparameters as given.

    :raises ContractError: no such file, or not a JSON object.
    """
    try:
        value = json.loads(folders.hyperparameters.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ContractError(f"{folders.hyperparameters}: {error}") from error
    if not isinstance(value, dict):
        raise ContractError(f"{folders.hyperparameters}: expected a JSON object")
    return value
