# ruff: noqa: E402 (the rooms are found by sys.path)
"""One decode step and one prefill of our forward pass against `transformers`, same weights, same thread count.

python benchmarks/policy-server/forward.py [--policy DIR] [--rows 64] [--length 64] [--repeats 20]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import torch
from machine import describe

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "training-jobs" / "policy-server"))

from policy_server.arena import Arena
from policy_server.config import read_config
from policy_server.model import Model, Span
from policy_server.weights import build_weights, read_tensors


def milliseconds(work: Callable[[], object], repeats: int) -> float:
    """Median time of a call, after two for warming up."""
    times = []
    for index in range(repeats + 2):
        started = time.perf_counter()
        work()
        if index >= 2:
            times.append(time.perf_counter() - started)
    return 1000 * statistics.median(times)


def ours(policy: Path, dtype: torch.dtype, rows: int, length: int, repeats: int) -> tuple[float, float]:
    """Milliseconds of (prefill, decode step)."""
    config = read_config(policy)
    model = Model(config, build_weights(config, read_tensors(policy), dtype))
    arena = Arena(config, dtype)
    prompt = Span(0, [0] * rows, [length] * rows, [7] * (rows * length))
    token = Span(0, [length] * rows, [1] * rows, [7] * rows)
    return (
        milliseconds(lambda: model.forward(arena, prompt), repeats),
        milliseconds(lambda: model.forward(arena, token), repeats),
    )


@torch.inference_mode()
def theirs(policy: Path, dtype: torch.dtype, rows: int, length: int, repeats: int) -> tuple[float, float]:
    """The same of `transformers`, logits of the last position only."""
    from transformers import DynamicCache, Qwen3ForCausalLM

    model = Qwen3ForCausalLM.from_pretrained(policy, dtype=dtype)
    prompt, token = torch.full((rows, length), 7), torch.full((rows, 1), 7)

    def prefill() -> DynamicCache:
        cache = DynamicCache(config=model.config)
        model(prompt, cache=cache, logits_to_keep=1)
        return cache

    cache = prefill()

    def step() -> None:
        model(token, cache=cache, logits_to_keep=1)
        cache.crop(-1)

    return milliseconds(prefill, repeats), milliseconds(step, repeats)


def main() -> None:
    """Print a table in Markdown."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--policy", type=Path, default=ROOT / "training-jobs" / "tiny-policy" / "weights")
    options.add_argument("--rows", type=int, default=64)
    options.add_argument("--length", type=int, default=64)
    options.add_argument("--repeats", type=int, default=20)
    options.add_argument("--threads", type=int, default=2)
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    print(f"{describe()}, {date.today()}, {chosen.threads} threads, {chosen.rows} rows of {chosen.length} tokens\n")
    print("| forward pass | type | prefill, ms | decode step, ms |")
    print("| --- | --- | --- | --- |")
    for dtype in (torch.float32, torch.float64):
        for name, measure in (("ours", ours), ("transformers", theirs)):
            prefill, step = measure(chosen.policy, dtype, chosen.rows, chosen.length, chosen.repeats)
            print(f"| {name} | {str(dtype).removeprefix('torch.')} | {prefill:.1f} | {step:.2f} |", flush=True)


if __name__ == "__main__":
    main()
