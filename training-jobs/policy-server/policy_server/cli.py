"""The command line of `python -m policy_server`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .settings import Settings

_EXAMPLES = """\
examples:
  python -m policy_server --policy v0000=training-jobs/tiny-policy/weights --port 8000
  python -m policy_server --policy v0000=weights --deterministic --port-file run/port --parent-pid $$
  curl -s localhost:8000/v1/chat/completions -H 'content-type: application/json' \\
    -d '{"model": "v0000", "messages": [{"role": "user", "content": "hello"}], "max_tokens": 32, "seed": 1}'
  curl -s localhost:8000/v1/policies -H 'content-type: application/json' -d '{"id": "v0001", "path": "/runs/1/model"}'
"""


def _named_path(text: str) -> tuple[str, Path]:
    name, separator, path = text.partition("=")
    if not (name and separator and path):
        raise argparse.ArgumentTypeError(f"expected ID=DIRECTORY, got {text!r}")
    return name, Path(path).resolve()


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, got {value}")
    return value


def _natural(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"expected no negative number, got {value}")
    return value


def parser() -> argparse.ArgumentParser:
    """Every option with its default."""
    result = argparse.ArgumentParser(
        prog="python -m policy_server",
        description="OpenAI-compatible server for policies in Hugging Face format (Qwen3 architecture), on the CPU.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = result.add_argument
    add("--policy", action="append", type=_named_path, default=[], metavar="ID=DIR", help="load at start; repeatable")
    add("--host", default="127.0.0.1", help="address to listen on (default %(default)s; there is no authentication)")
    add("--port", type=int, default=0, help="0 takes a free one (default)")
    add("--deterministic", action="store_true", help="float64: a seed gives the same tokens in any batch")
    add("--threads", type=_positive, default=2, help="model threads, each with its own batch (default %(default)s)")
    add(
        "--max-batch",
        type=_positive,
        default=128,
        help="completions that run together, over all threads (default %(default)s)",
    )
    add("--max-waiting", type=_positive, default=4096, help="completions that may wait; above it 429 (%(default)s)")
    add("--max-body-bytes", type=_positive, default=4 * 1024 * 1024, help="larger bodies get 413 (%(default)s)")
    add("--keep", type=_positive, default=4, help="policy versions kept in memory (default %(default)s)")
    add("--cache-mb", type=_natural, default=512, help="memory for prompts seen before, 0 for none (%(default)s)")
    add("--port-file", type=Path, help="write the port here once ready")
    add("--parent-pid", type=int, help="exit when this process is gone")
    return result


def settings_from(arguments: Sequence[str]) -> Settings:
    """Parsed options. Exits with a message on nonsense, as argparse does."""
    values = vars(parser().parse_args(arguments))
    # Only now: importing torch takes a second, and --help should not.
    from .settings import Settings

    values["policies"] = tuple(values.pop("policy"))
    return Settings(**values)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until SIGTERM, SIGINT or the parent's end. Exit status 0, or 1 when the server could not start."""
    settings = settings_from(sys.argv[1:] if arguments is None else arguments)
    from .process import serve

    return asyncio.run(serve(settings))
