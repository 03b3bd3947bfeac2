"""Seconds of policy server per iteration, float32 against deterministic float64, the two in turn.

python benchmarks/policy-server/throughput.py [--policy DIR] [--rounds 3] [--episodes 768] [--designs 24]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
from datetime import date
from pathlib import Path

from load import Episode, Outcome, designs, plays, send
from machine import describe

ROOT = Path(__file__).resolve().parents[2]
ROOM = ROOT / "training-jobs" / "policy-server"
MODES = {"float32": (), "float64": ("--deterministic",)}


def start(policy: Path, threads: int, max_batch: int, mode: str) -> tuple[subprocess.Popen[str], int]:
    """A server process and its port."""
    command = [sys.executable, "-m", "policy_server", "--policy", f"v0000={policy}", *MODES[mode]]
    command += ["--threads", str(threads), "--max-batch", str(max_batch), "--parent-pid", str(os.getpid())]
    environment = {**os.environ, "PYTHONPATH": str(ROOM)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    return process, int(json.loads(process.stdout.readline())["port"])


def row(mode: str, load: str, outcomes: list[Outcome]) -> str:
    """One line of the table: medians over the rounds."""
    seconds = statistics.median(outcome.seconds for outcome in outcomes)
    first = outcomes[0]
    rate = first.completion_tokens / seconds
    return (
        f"| {load} | {mode} | {first.requests} | {first.prompt_tokens} | {first.completion_tokens} "
        f"| {seconds:.2f} | {rate:.0f} |"
    )


def main() -> None:
    """Run and print a table in Markdown."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--policy", type=Path, default=ROOT / "training-jobs" / "tiny-policy" / "weights")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--episodes", type=int, default=768)
    options.add_argument("--designs", type=int, default=24)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--max-batch", type=int, default=128)
    chosen = options.parse_args()
    loads: dict[str, list[Episode]] = {"plays": plays(chosen.episodes), "designs": designs(chosen.designs)}
    servers = {mode: start(chosen.policy, chosen.threads, chosen.max_batch, mode) for mode in MODES}
    results: dict[tuple[str, str], list[Outcome]] = {(load, mode): [] for load in loads for mode in MODES}
    try:
        for _, port in servers.values():
            asyncio.run(send(port, loads["plays"][:32]))  # first calls allocate
        for _ in range(chosen.rounds):
            for load, mode in results:
                results[load, mode].append(asyncio.run(send(servers[mode][1], loads[load])))
    finally:
        for process, _ in servers.values():
            process.terminate()
            process.wait()
    print(f"{describe()}, {date.today()}, {chosen.threads} threads, {chosen.rounds} rounds, median\n")
    print("| load | mode | requests | prompt tokens | completion tokens | seconds | completion tokens/s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for (load, mode), outcomes in results.items():
        print(row(mode, load, outcomes))
    for load in loads:
        medians = [statistics.median(o.seconds for o in results[load, mode]) for mode in MODES]
        print(f"\n{load}: float64 / float32 = {medians[1] / medians[0]:.2f}")


if __name__ == "__main__":
    main()
