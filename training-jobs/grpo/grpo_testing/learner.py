"""A learner without a job folder around it, and the gradient that one step would take."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from grpo.aggregation import token_shares
from grpo.attention import ATTENTION
from grpo.config import TrainerConfig
from grpo.distributed import World
from grpo.microbatch import TrainingSet
from grpo.model import trainable_parameters
from grpo.objective import score_micro_batch
from grpo.optimizer import make_optimizer
from grpo.policy import Policy
from grpo.samples import TrainingSample, read_batch
from grpo.step import Known, Learner, micro_batches
from torch import Tensor

from .factory import write_batch

ALONE = World(0, 1, torch.device("cpu"))


def learner_of(model: Any, **settings: Any) -> Learner:
    """A copy of the model in the trainer's hands."""
    config = TrainerConfig(policy_version=1, **settings)
    lm = copy.deepcopy(model)
    lm.set_attn_implementation(ATTENTION)
    policy = Policy(lm.train(), config.logits_chunk)
    parameters = trainable_parameters(lm)
    return Learner(policy, parameters, make_optimizer(parameters, config), config, ALONE)


def samples_of(rows: Sequence[Mapping[str, Any]], vocabulary: int = 61) -> list[TrainingSample]:
    """Rows as the trainer reads them from a batch file."""
    with TemporaryDirectory() as folder:
        write_batch(Path(folder), rows)
        return read_batch(Path(folder), vocabulary, 128).samples


def loss_and_gradient(
    learner: Learner, samples: Sequence[TrainingSample], known: Known | None = None
) -> tuple[float, dict[str, Tensor]]:
    """Loss of one step over all samples, and its gradient by parameter name, through the trainer's own parts."""
    config = learner.config
    data = TrainingSet.of(samples)
    shares = token_shares(
        samples, config.aggregation, {"agent": config.agent_weight, "designer": config.designer_weight}
    )
    learner.optimizer.zero_grad()
    total = 0.0
    for batch in micro_batches(data, range(len(samples)), shares, config.max_tokens_per_microbatch, ALONE):
        scored = score_micro_batch(batch, *learner.forward(batch), *(known or Known()).at(batch), config)
        scored.loss.backward()  # type: ignore[no-untyped-call]
        total += scored.loss.item()
    return total, {name: _gradient(p) for name, p in learner.parameters.items()}


def _gradient(parameter: Tensor) -> Tensor:
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.clone()
