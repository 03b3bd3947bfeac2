"""Stopping and going on inside one job, and handing the optimizer to the next one."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .config import TrainerConfig
from .distributed import shard_like, whole
from .optimizer import moments, restore_moments
from .step import Known, Learner
from .training_state import StoredState, load_state, newest_checkpoint, remove_checkpoints, save_state, step_folder


@dataclass
class Run:
    """How far the job has come: everything but the weights that a restart has to know."""

    next_step: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)
    skipped_in_a_row: int = 0
    known: Known = field(default_factory=Known)
    restored: bool = False


def save_checkpoint(checkpoints: Path, learner: Learner, run: Run) -> None:
    """Write the state before step `run.next_step` and drop older checkpoints. Collective when weights are sharded."""
    weights = {name: whole(p) for name, p in learner.parameters.items()}
    optimizer = {name: whole(m) for name, m in moments(learner.optimizer, learner.parameters).items()}
    if not learner.world.leads:
        return
    known = {"old": run.known.old, "reference": run.known.reference}
    extra = {name: value for name, value in known.items() if value is not None}
    extra["rng"] = torch.get_rng_state()
    counters = {
        "nextStep": run.next_step,
        "rows": run.rows,
        "skippedInARow": run.skipped_in_a_row,
        "optimizerSteps": learner.optimizer_steps,
        "policyVersion": learner.config.policy_version,
    }
    folder = step_folder(checkpoints, run.next_step)
    save_state(folder, counters, optimizer=optimizer, weights=weights, run=extra)
    remove_checkpoints(checkpoints, keep=folder)


def resume(checkpoints: Path, learner: Learner) -> Run | None:
    """Put learner and RNG where this job's newest checkpoint left them; None when there is none of this policy
    version.
    """
    stored = newest_checkpoint(checkpoints)
    if stored is None or stored.counters["policyVersion"] != learner.config.policy_version:
        return None
    load_weights(learner, stored.weights)
    _restore_optimizer(learner, stored)
    torch.set_rng_state(stored.run["rng"])
    device = learner.world.device
    old, reference = (None if (x := stored.run.get(key)) is None else x.to(device) for key in ("old", "reference"))
    counters = stored.counters
    return Run(counters["nextStep"], counters["rows"], counters["skippedInARow"], Known(old, reference), True)


def take_up(folder: Path, learner: Learner) -> str:
    """Go on with the previous job's optimizer (M34); the answer tells what was taken.

    Full-precision weights are taken only if they round to the very weights of the policy channel: a policy that was not
    promoted leaves a state behind that belongs to other weights.
    """
    stored = load_state(folder)
    _restore_optimizer(learner, stored)
    if not stored.weights:
        return "moments"
    for name, parameter in learner.parameters.items():
        kept = stored.weights.get(name)
        if kept is None or not _rounds_to(kept, whole(parameter), stored.counters["publishedDtype"]):
            return "moments"
    load_weights(learner, stored.weights)
    return "moments and weights"


def _rounds_to(precise: Tensor, published: Tensor, dtype: str) -> bool:
    rounded = precise.to(getattr(torch, dtype)).to(published.dtype)
    return rounded.shape == published.shape and bool(torch.equal(rounded, published.cpu()))


def load_weights(learner: Learner, weights: dict[str, Tensor]) -> None:
    """Overwrite the trained weights."""
    with torch.no_grad():
        for name, parameter in learner.parameters.items():
            parameter.copy_(shard_like(weights[name].to(parameter.device, parameter.dtype), parameter))


def _restore_optimizer(learner: Learner, stored: StoredState) -> None:
    learner.optimizer_steps = stored.counters["optimizerSteps"]
    restore_moments(learner.optimizer, learner.parameters, stored.optimizer, learner.optimizer_steps)


def save_final(folder: Path, learner: Learner, published: torch.dtype) -> None:
    """Write what the next job takes up: moments, and weights if publishing rounded them. Collective when sharded."""
    optimizer = {name: whole(m) for name, m in moments(learner.optimizer, learner.parameters).items()}
    rounded = not learner.config.lora_rank and any(p.dtype != published for p in learner.parameters.values())
    weights = {name: whole(p) for name, p in learner.parameters.items()} if rounded else {}
    if learner.world.leads:
        counters = {
            "optimizerSteps": learner.optimizer_steps,
            "policyVersion": learner.config.policy_version,
            "publishedDtype": str(published).removeprefix("torch."),
        }
        save_state(folder, counters, optimizer=optimizer, weights=weights)


class CheckpointClock:
    """Says after which steps to write: at most every `checkpoint_seconds`, since a large state takes minutes to
    write.
    """

    def __init__(self, config: TrainerConfig) -> None:
        self._seconds = config.checkpoint_seconds
        self._last = time.monotonic()

    def due(self) -> bool:
        """True when enough time has passed since the last True."""
        now = time.monotonic()
        if now - self._last < self._seconds:
            return False
        self._last = now
        return True
