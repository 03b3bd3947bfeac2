"""Environment of the numerical libraries, to be set before they are imported."""

from __future__ import annotations

import os


def settle_threads() -> None:
    """Idle OpenMP threads sleep instead of spinning, which on a shared machine costs more than it gains, and NumPy's
    own BLAS gets no threads at all: it would start them on import, and a thread does not survive a fork.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
