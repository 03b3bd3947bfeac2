"""Log-probabilities that must be measured before the weights move: the policy's own, and a reference's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from .checkpoint import Run
from .distributed import add_up
from .errors import TrainingStopped
from .job import JobFolders
from .microbatch import MicroBatch, TrainingSet
from .model import load_model
from .policy import Policy
from .step import Known, Learner, micro_batches
from .stop import StopRequest

Forward = Callable[[MicroBatch], tuple[Tensor, Tensor]]


def measure_known(
    folders: JobFolders,
    learner: Learner,
    data: TrainingSet,
    run: Run,
    steps: Sequence[Sequence[int]],
    stop: StopRequest,
) -> Known:
    """What the objective needs besides the step itself; a restored run brings it along.

    The policy's own log-probabilities are recomputed here rather than taken from the sampler, whose engine rounds
    otherwise. Samples that are trained in the first step alone need no pass: before the first update the
    log-probabilities are what the step computes.
    """
    if run.restored or not data.samples:
        return run.known
    everything = range(len(data.samples))
    later = sorted({index for step in steps[1:] for index in step})
    if not learner.config.kl_coef:
        return Known(_measure(learner, learner.forward, data, later, stop) if later else None)
    old = _measure(learner, learner.forward, data, everything, stop)
    return Known(old, _reference(folders, learner, data, old, stop))


def _reference(folders: JobFolders, learner: Learner, data: TrainingSet, old: Tensor, stop: StopRequest) -> Tensor:
    """Channel `reference` if given; else the model below the adapter; else the policy as the job found it."""
    everything = range(len(data.samples))
    folder = folders.optional_channel("reference")
    if folder is not None:
        config = learner.config
        model = load_model(folder, folders.optional_channel("base"), config, learner.world.device)
        frozen = Policy(model, config.logits_chunk)
        return _measure(learner, frozen, data, everything, stop)
    if learner.config.lora_rank:
        with learner.policy.lm.disable_adapter():
            return _measure(learner, learner.forward, data, everything, stop)
    return old


def _measure(learner: Learner, forward: Any, data: TrainingSet, chosen: Sequence[int], stop: StopRequest) -> Tensor:
    """(all trained tokens,) float64 log-probabilities in the order of the batch, on every rank; 0 where not chosen."""
    world, config = learner.world, learner.config
    found = torch.zeros(data.offsets[-1], dtype=torch.float64, device=world.device)
    half = torch.autocast(world.device.type, torch.bfloat16) if learner.half else nullcontext()
    with torch.no_grad(), half:
        for batch in micro_batches(data, chosen, [0.0] * len(chosen), config.max_tokens_per_microbatch, world):
            if stop.requested and world.size == 1:
                raise TrainingStopped("SIGTERM before the first step")
            logprobs, _ = forward(batch)
            found[batch.numbers] = logprobs.double()
    return add_up(found, world)
