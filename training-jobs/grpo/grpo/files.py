"""Files that are either whole or absent: written under another name, flushed to the disk, then renamed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def canonical_json(value: Any) -> str:
    """One spelling for one value: sorted keys, no NaN, shortest digits that read back the same."""
    return json.dumps(value, sort_keys=True, allow_nan=False, ensure_ascii=False)


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text` in one step."""
    part = path.with_name(f".{path.name}.part")
    with part.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(path)


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """JSON lines, in one step."""
    write_text(path, "".join(canonical_json(row) + "\n" for row in rows))


def publish_folder(part: Path, final: Path) -> None:
    """Rename a finished folder to its name, replacing an older one.

    Between removal and rename the old folder is already gone and the new one not yet there; readers that find neither
    go on from an older state, so the order is safe, only not free.
    """
    for file in part.iterdir():
        with file.open("rb") as stream:
            os.fsync(stream.fileno())
    shutil.rmtree(final, ignore_errors=True)
    part.replace(final)
    _sync_folder(final.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sha256(path: Path) -> str:
    """Hex digest of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
