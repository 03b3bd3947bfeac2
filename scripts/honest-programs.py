"""Writes varied honest programs into a folder: `honest-programs.py FOLDER COUNT`.

Control X15 of the sandbox suite, seeded: one version of Python always makes the same ones. Nine of ten are of the embedded
policy's recipe (all families, all levels, drawn styles); one of ten is a program of `honest/`, written by hand in the
ways of published pools: resets in the constructor, the global random module, names used without an import, base classes,
dataclasses, solvers with caches, exact decimals, symbols beyond ASCII.
"""

import sys
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "training-jobs" / "tiny-policy"))

from tiny_policy.demonstrations import design  # noqa: E402
from tiny_policy.families import FAMILIES  # noqa: E402
from tiny_policy.families.base import LEVELS  # noqa: E402

BY_HAND = sorted((Path(__file__).resolve().parent / "honest").glob("*.py"))
BY_HAND_EVERY = 10
# Sizes of the programs by hand: digits, rooms, days, positions, words.
SIZES = range(3, 9)


def by_hand(index: int) -> tuple[str, str]:
    """Name and source of the index-th program by hand: programs in turn, then sizes in turn."""
    path = BY_HAND[index % len(BY_HAND)]
    size = SIZES[index // len(BY_HAND) % len(SIZES)]
    return f"{path.stem}-{size}", path.read_text(encoding="utf-8").replace("\nSIZE = 5\n", f"\nSIZE = {size}\n")


def by_recipe(index: int, rng: Random) -> tuple[str, str]:
    """Name and source of the index-th program of the recipe: families in turn, then levels in turn."""
    family = FAMILIES[index % len(FAMILIES)]
    level = LEVELS[index // len(FAMILIES) % len(LEVELS)]
    return f"{family.name}-{level}", design(family, level, rng).source


def main(folder: Path, count: int) -> None:
    """Writes `count` programs."""
    rng = Random(20261129)
    for index in range(count):
        turn, rest = divmod(index, BY_HAND_EVERY)
        hand = rest == BY_HAND_EVERY - 1
        name, source = by_hand(turn) if hand else by_recipe(index - turn, rng)
        (folder / f"{index:03d}-{name}.py").write_text(source, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
