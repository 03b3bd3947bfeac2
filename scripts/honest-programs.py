"""Writes varied honest programs of the embedded policy's recipe into a folder: `honest-programs.py FOLDER COUNT`.

Control X15 of the sandbox suite: all families, all levels, drawn styles, seeded, so that every machine judges the same.
"""

import sys
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "training-jobs" / "tiny-policy"))

from tiny_policy.demonstrations import design  # noqa: E402
from tiny_policy.families import FAMILIES  # noqa: E402
from tiny_policy.families.base import LEVELS  # noqa: E402


def main(folder: Path, count: int) -> None:
    """Writes `count` programs, families and levels in turn."""
    rng = Random(20261129)
    for index in range(count):
        family = FAMILIES[index % len(FAMILIES)]
        level = LEVELS[index // len(FAMILIES) % len(LEVELS)]
        path = folder / f"{index:03d}-{family.name}-{level}.py"
        path.write_text(design(family, level, rng).source, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
