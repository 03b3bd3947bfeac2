"""What a clock and a memory gauge saw: `timings.json`. Kept apart from the metrics, which are functions of the
inputs.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

# Dense bfloat16 peak in FLOP/s, from NVIDIA's data sheets; the key is found in the device's name.
PEAK_FLOPS = {
    "H200": 989e12,
    "H100": 989e12,
    "A100": 312e12,
    "L40S": 362e12,
    "A10G": 70e12,
    "L4": 121e12,
    "T4": 65e12,
}


class Stopwatch:
    """Seconds by phase, in the order in which the phases began."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds
        self.steps: list[dict[str, float]] = []

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the body's duration to a phase."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - begun

    def step(self, seconds: float, tokens: int) -> None:
        """Note one optimizer step."""
        self.steps.append({"seconds": seconds, "tokens": tokens})

    def report(self, flops_per_token: float, device: torch.device, ranks: int) -> dict[str, Any]:
        """Everything as numbers: seconds, tokens/s, MFU (None where the peak is not known), peak memory in bytes."""
        seconds = sum(s["seconds"] for s in self.steps)
        rate = sum(s["tokens"] for s in self.steps) / seconds if seconds else 0.0
        peak = peak_flops(device)
        return {
            "phases": self.seconds,
            "steps": self.steps,
            "tokensPerSecond": rate,
            "mfu": rate * flops_per_token / (peak * ranks) if peak else None,
            "peakMemoryBytes": peak_memory(device),
        }


def training_flops_per_token(parameters: int, settings: Any, lengths: Sequence[int]) -> float:
    """FLOP to train on one token: 6 per parameter, and 6 · layers · heads · head size · n for causal attention.

    A context of n tokens is on average half seen, so 12 · layers · heads · head size · n / 2 (arXiv:2204.02311,
    appendix B);
    n is the mean over tokens of their sequence's length. Recomputation (checkpointing, chunked logits) is not
    counted, and the head is counted for prompt tokens as well, as everywhere else, so that MFU can be compared.
    """
    head = getattr(settings, "head_dim", None) or settings.hidden_size // settings.num_attention_heads
    mean_length = sum(n * n for n in lengths) / max(1, sum(lengths))
    width = int(settings.num_hidden_layers * settings.num_attention_heads * head)
    return 6.0 * parameters + 6.0 * width * mean_length


def peak_flops(device: torch.device) -> float | None:
    """The device's data-sheet peak, None for a CPU or an unknown GPU."""
    if device.type != "cuda":
        return None
    name = torch.cuda.get_device_name(device)
    return next((flops for key, flops in PEAK_FLOPS.items() if key in name), None)


def peak_memory(device: torch.device) -> int:
    """Most memory held so far, bytes: of the allocator on a GPU, of the process on a CPU."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
