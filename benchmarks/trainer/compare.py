"""One training step of ours and of TRL's GRPO on the same collected batch, alternating, each in a process of its own.

    benchmarks/trainer/setup
    nice -n 15 benchmarks/trainer/.venv/bin/python benchmarks/trainer/compare.py [--rounds 5] [--spread 0]

Both get the same random Qwen3, the same tokens, advantages and optimizer, and micro-batches that hold the same number
of real tokens on average. TRL's side is its own: a GRPOTrainer is built, the batch is padded, shuffled and split as its
`_generate_and_score_completions` and `_prepare_inputs` do, and `compute_loss` is called for each part. Neither side
generates. Before anything is measured both must agree on loss and gradient. Speed is real tokens (no padding) by CPU
time, which other load on the machine disturbs least; wall time is printed beside it. Memory is what a process grew by
from before the model to its peak.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import time
from datetime import date
from pathlib import Path
from typing import Any

from batch import ragged_batch

SHAPE: dict[str, Any] = {
    "vocab_size": 8192,
    "hidden_size": 192,
    "intermediate_size": 512,
    "num_hidden_layers": 4,
    "num_attention_heads": 6,
    "num_key_value_heads": 3,
    "head_dim": 32,
    "tie_word_embeddings": True,
    "max_position_embeddings": 2048,
}
LENGTHS = {"median": 96, "longest": 768}
MICRO_TOKENS = 4096
CHECK_SAMPLES = 16


def main() -> None:
    """Check, measure, print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--rounds",
        type=int,
        default=5,
        help="measurements of each side (default: %(default)s)",
    )
    parser.add_argument(
        "--samples",
        type=int,
        default=128,
        help="sequences in the batch (default: %(default)s)",
    )
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        help="threads of each side (default: %(default)s)",
    )
    parser.add_argument(
        "--spread",
        type=float,
        default=1.0,
        help="how much lengths vary: 1 as self-play gives them, 0 all alike (default: %(default)s)",
    )
    options = parser.parse_args()
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import sides

    sides.import_everything()
    samples = ragged_batch(options.samples, SHAPE["vocab_size"], **LENGTHS, spread=options.spread)
    print(
        json.dumps(in_child(lambda: sides.agree(SHAPE, samples[:CHECK_SAMPLES], MICRO_TOKENS))),
        flush=True,
    )
    found: dict[str, list[dict[str, float]]] = {"ours": [], "trl": []}
    for number in range(options.rounds):
        order = ("ours", "trl") if number % 2 == 0 else ("trl", "ours")
        for side in order:
            found[side].append(in_child(lambda side=side: measure(side, samples, options.threads)))
            print(json.dumps({side: found[side][-1]}), flush=True)
    print_table(found, sum(s.length for s in samples), sides.versions(), options)


def in_child(work: Any) -> Any:
    """The result of `work` in a forked child: memory starts from the same imports each time."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        code = 1
        try:
            os.write(writer, json.dumps(work()).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        answer = stream.read()
    if os.waitpid(pid, 0)[1]:
        raise SystemExit("a measurement failed")
    return json.loads(answer)


def measure(side: str, samples: Any, threads: int) -> dict[str, float]:
    """CPU seconds, wall seconds and bytes of one whole step, optimizer included."""
    import torch

    import sides

    torch.set_num_threads(threads)
    # Kernels are chosen and compiled on their first use; that is nobody's training speed.
    sides.SIDES[side](sides.random_model(SHAPE), samples[:4], MICRO_TOKENS)()
    before = resident_bytes()
    step = sides.SIDES[side](sides.random_model(SHAPE), samples, MICRO_TOKENS)
    cpu, wall = time.process_time(), time.monotonic()
    step()
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"cpu": cpu, "wall": wall, "memory": peak - before}


def resident_bytes() -> int:
    """Memory that the process holds now (Linux)."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def print_table(found: Any, tokens: int, versions: str, options: Any) -> None:
    """Medians, and ratios of medians."""

    def median(side: str, key: str) -> float:
        return statistics.median(run[key] for run in found[side])

    print(f"\n{date.today()}, {platform.machine()}, {options.threads} thread(s), {versions}")
    print(
        f"{options.samples} sequences, {tokens} real tokens, spread of lengths {options.spread:g}, "
        f"{options.rounds} alternating rounds, medians\n"
    )
    print("| | tokens per CPU second | tokens per second | peak memory, MB |\n|---|---|---|---|")
    rows = {
        side: (
            tokens / median(side, "cpu"),
            tokens / median(side, "wall"),
            median(side, "memory") / 1e6,
        )
        for side in found
    }
    for side, row in rows.items():
        print(f"| {side} | {row[0]:.0f} | {row[1]:.0f} | {row[2]:.0f} |")
    ratios = [a / b for a, b in zip(rows["ours"], rows["trl"], strict=True)]
    print(f"| ours / trl | {ratios[0]:.2f} | {ratios[1]:.2f} | {ratios[2]:.2f} |")


if __name__ == "__main__":
    main()
