"""The fixed benchmark: programs on held-out words at every level, with fixed seeds."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from .documents import held_out
from .families import FAMILIES
from .families.base import LEVELS, Family
from .families.style import draw_style

FILE = Path(__file__).resolve().parents[1] / "benchmark.jsonl"
SEEDS_EACH = 4
"""Instances of one program."""

LISTED = """
harbor lantern orchard glacier saddle ribbon cobalt walnut canyon marble thicket kettle furnace pulley basin trellis
meadow violin falcon timber quartz beacon copper anchor ledger prism garden bridge river candle barrel feather
hammer island jacket ladder mirror needle pepper rocket silver temple valley window
"""

WORDS = tuple(LISTED.split())
"""Ordinary words; those that `held_out` keeps from training are used."""


@dataclass(frozen=True)
class Row:
    """One program of the benchmark and the seeds it is played with."""

    id: str
    skill: str
    level: int
    code: str
    seeds: list[int]


def row(family: Family, level: int, word: str) -> Row:
    """The benchmark's program of one family and level."""
    name = f"{family.name}-{level}"
    rng = Random(f"benchmark:{name}")
    code = family.write(family.sizes(level, rng), draw_style(word, 0, rng))
    return Row(name, family.skill, level, code, [rng.getrandbits(31) for _ in range(SEEDS_EACH)])


def rows() -> list[Row]:
    """The whole benchmark, the same on every machine."""
    words = [word for word in WORDS if held_out(word)]
    cells = [(family, level) for family in FAMILIES for level in LEVELS]
    return [row(family, level, words[index % len(words)]) for index, (family, level) in enumerate(cells)]


def write(path: Path = FILE) -> None:
    """Writes the benchmark as JSON lines."""
    path.write_text("".join(json.dumps(asdict(each)) + "\n" for each in rows()), encoding="utf-8")


def read(path: Path = FILE) -> list[Row]:
    """The committed benchmark."""
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
