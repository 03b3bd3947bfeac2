"""Which machine a figure was measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import torch


def describe() -> str:
    """Processor, cores, load of the last minute, Python and PyTorch."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.processor()
    load = os.getloadavg()[0]
    return (
        f"{processor}, {os.cpu_count()} cores (load {load:.1f}), "
        f"Python {platform.python_version()}, torch {torch.__version__}"
    )
