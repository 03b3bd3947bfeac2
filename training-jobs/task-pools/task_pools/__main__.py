"""`python -m task_pools`: wraps reasoning-gym's datasets as single-turn environments, a pool and a held-out benchmark.

Only making them needs the package; the programs hold their instances and their scorer. Writes JSON lines: the pool in
the shape of the released pools (`spade import`, `spade validate`), the benchmark as `evaluation.benchmark` takes it.
The same arguments give the same bytes. Prints a table: each dataset with its scorer and instances, or why not.
"""

import argparse
import hashlib
import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

from .program import programs_within
from .survey import Finding, derived_seed, instances_of, judge

SKILLS = {
    "algebra": "Mathematical Reasoning",
    "arithmetic": "Mathematical Reasoning",
    "geometry": "Spatial Reasoning",
    "probability": "Mathematical Reasoning",
    "logic": "Logical Deduction",
    "games": "Strategic Planning",
    "graphs": "Optimization",
    "algorithmic": "Logical Deduction",
    "code": "Causal Inference",
    "cognition": "Pattern Recognition",
    "induction": "Pattern Recognition",
    "arc": "Pattern Recognition",
}


def arguments() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m task_pools", description=__doc__.split("\n\n")[0])
    parser.add_argument("--pool", type=Path, required=True, help="where the pool goes (.jsonl)")
    parser.add_argument("--benchmark", type=Path, required=True, help="where the held-out benchmark goes (.jsonl)")
    parser.add_argument("--datasets", nargs="*", default=[], help="only these; all that can be scored without them")
    parser.add_argument("--instances", type=int, default=64, help="instances of a program in the pool, at most")
    parser.add_argument("--held-out", type=int, default=8, help="instances of a program in the benchmark, at most")
    parser.add_argument("--max-bytes", type=int, default=16_384, help="largest program in bytes (limits.sourceBytes)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def make(
    name: str, dataset_of: Any, options: argparse.Namespace, *, own_scorer: bool, category: str, origin: str
) -> tuple[Finding, list[dict[str, Any]], list[dict[str, Any]]]:
    """Pool rows and benchmark rows of one dataset."""
    held_out = dataset_of(seed=derived_seed(options.seed, name, "benchmark"), size=4 * options.held_out)
    training = dataset_of(seed=derived_seed(options.seed, name, "pool"), size=options.instances)
    entries = [held_out[index] for index in range(4 * options.held_out)]
    more = [training[index] for index in range(options.instances)]
    finding = judge(name, training, [*entries, *more], own_scorer=own_scorer)
    if finding.scorer is None:
        return finding, [], []
    seen: set[str] = set()
    # The benchmark first: what it asks, the pool does not.
    chosen = instances_of(name, entries, seen)[: options.held_out]
    benchmark = programs_within(name, origin, chosen, finding.scorer, options.max_bytes)
    pool = programs_within(name, origin, instances_of(name, more, seen), finding.scorer, options.max_bytes)
    if benchmark is None or pool is None:
        return Finding(name, None, "too few different questions, or one alone is larger than --max-bytes"), [], []
    skill = SKILLS.get(category, "Logical Deduction")
    told = {"skill": skill, "level": 1, "dataset": name, "scorer": finding.scorer, "origin": origin}
    rows = [row_of(f"{name}-pool", pool[0], {**told, "instances": pool[1]})]
    held = [{"id": name, **told, "code": benchmark[0], "seeds": list(range(benchmark[1]))}]
    return finding, rows, held


def row_of(game_id: str, code: str, told: dict[str, Any]) -> dict[str, Any]:
    """A row in the shape of the released pools."""
    return {
        "game_id": game_id,
        "file_name": f"{game_id}.py",
        **told,
        "sha256": hashlib.sha256(code.encode()).hexdigest(),
        "line_count": code.count("\n"),
        "byte_count": len(code.encode()),
        "code": code,
    }


def main() -> int:
    """Makes both files and prints the table. Exit status 2 when a named dataset does not exist or cannot be wrapped."""
    options = arguments()
    from reasoning_gym.dataset import ProceduralDataset
    from reasoning_gym.factory import DATASETS, create_dataset

    unknown = sorted(set(options.datasets) - set(DATASETS))
    if unknown:
        print(f"error: no such dataset: {', '.join(unknown)}; there are {', '.join(sorted(DATASETS))}", file=sys.stderr)
        return 2
    origin = f"reasoning-gym {importlib.metadata.version('reasoning-gym')}"
    pool: list[dict[str, Any]] = []
    benchmark: list[dict[str, Any]] = []
    refused: list[str] = []
    for name in options.datasets or sorted(DATASETS):
        cls = DATASETS[name][0]
        own_scorer = cls.score_answer is not ProceduralDataset.score_answer
        category = cls.__module__.split(".")[1]
        try:
            finding, rows, held = make(
                name,
                lambda name=name, **config: create_dataset(name, **config),
                options,
                own_scorer=own_scorer,
                category=category,
                origin=origin,
            )
        except Exception as error:
            # A dataset that cannot even be drawn from is one more that is left out, with its reason.
            finding, rows, held = (
                Finding(name, None, f"it cannot be drawn from: {type(error).__name__}: {error}"),
                [],
                [],
            )
        pool += rows
        benchmark += held
        if finding.scorer is None:
            refused.append(name)
        print(f"{name:26} {finding.scorer or 'refused':13} {finding.reason or instances_told(rows, held)}", flush=True)
    write(options.pool, pool)
    write(options.benchmark, benchmark)
    print(f"\n{len(pool)} wrapped, {len(refused)} refused; {options.pool}, {options.benchmark}")
    return 2 if options.datasets and refused else 0


def instances_told(rows: list[dict[str, Any]], held: list[dict[str, Any]]) -> str:
    """`64 instances, 8 held out`."""
    return f"{rows[0]['instances']} instances, {len(held[0]['seeds'])} held out"


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
