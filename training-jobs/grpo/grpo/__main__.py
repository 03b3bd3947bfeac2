"""Entry point of the training container: `python -m grpo [--root /opt/ml]`."""

from __future__ import annotations

import argparse
import fcntl
import os
import sys
import time
import traceback
from pathlib import Path

from .config import parse_config
from .errors import TrainerError, TrainingStopped
from .job import JobFolders, read_hyperparameters
from .stop import StopRequest
from .threads import settle_threads

EXAMPLES = """examples:
  python -m grpo                              in a SageMaker training container
  python -m grpo --root ~/.spade/jobs/job-1   the same on a folder that has the same layout
  torchrun --nproc-per-node 8 -m grpo         full fine-tuning sharded over eight GPUs

The layout, all hyperparameters and all outputs are described in docs/trainer.md.
"""
FAILURE_CHARACTERS = 1024


def main(arguments: list[str] | None = None) -> int:
    """Run one training job; returns the exit code (0 done, 1 failed, 143 stopped by SIGTERM)."""
    parser = argparse.ArgumentParser(
        prog="python -m grpo",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--root", type=Path, default=Path("/opt/ml"), help="folder of the job (default: %(default)s)")
    options = parser.parse_args(arguments)
    return run(JobFolders(options.root))


def run(folders: JobFolders) -> int:
    """Run the job in these folders, and report a failure where SageMaker looks for it."""
    started = time.monotonic()
    try:
        config = parse_config(read_hyperparameters(folders))
        stop = StopRequest(config.stop_grace_seconds)
        stop.install()
        folders.checkpoints.mkdir(parents=True, exist_ok=True)
        folders.failure.unlink(missing_ok=True)
        with _only_one(folders):
            settle_threads()
            from .train import run_job

            run_job(folders, config, stop, time.monotonic() - started)
    except TrainingStopped as stopped:
        print(stopped, file=sys.stderr)
        return stopped.exit_code
    except Exception as error:
        _report_failure(folders, error)
        return getattr(error, "exit_code", 1)
    return 0


class _only_one:  # noqa: N801 - reads as a phrase where it is used
    """Holds the job's folder, so that a restarted host does not train beside the trainer it left behind."""

    def __init__(self, folders: JobFolders) -> None:
        self._handle = os.open(folders.checkpoints, os.O_RDONLY)

    def __enter__(self) -> None:
        if int(os.environ.get("RANK", "0")) == 0:
            fcntl.flock(self._handle, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def _report_failure(folders: JobFolders, error: Exception) -> None:
    if not isinstance(error, TrainerError):
        traceback.print_exc()
    text = f"{type(error).__name__}: {error}"
    print(text, file=sys.stderr)
    folders.failure.parent.mkdir(parents=True, exist_ok=True)
    folders.failure.write_text(text[:FAILURE_CHARACTERS], encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
