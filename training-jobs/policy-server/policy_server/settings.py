"""What the command line can set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch


@dataclass(frozen=True)
class Settings:
    """Options of one server process; the defaults are those of the command line."""

    policies: tuple[tuple[str, Path], ...] = ()
    host: str = "127.0.0.1"
    port: int = 0
    deterministic: bool = False
    threads: int = 2
    max_batch: int = 128
    max_waiting: int = 4096
    max_body_bytes: int = 4 * 1024 * 1024
    keep: int = 4
    cache_mb: int = 512
    port_file: Path | None = None
    parent_pid: int | None = None

    @property
    def dtype(self) -> torch.dtype:
        """Deterministic mode computes in float64, where the noise of batching is far below what is reported."""
        return torch.float64 if self.deterministic else torch.float32
