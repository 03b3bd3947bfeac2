"""One optimizer step: micro-batches forward and backward, then the update, unless a number went wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .aggregation import token_shares
from .config import TrainerConfig
from .distributed import World, add_up, add_up_gradients, largest, whole
from .errors import TrainingStopped
from .metrics import step_row
from .microbatch import MicroBatch, TrainingSet, build_micro_batch, idle_micro_batch
from .objective import MAXIMA, SUMS, score_micro_batch
from .optimizer import learning_rate
from .plan import pack_micro_batches, share_ranks
from .policy import Policy
from .samples import ROLES, TrainingSample
from .stop import StopRequest


@dataclass(frozen=True)
class Known:
    """Log-probabilities (all trained tokens,) measured before the first step; None where the step itself knows them."""

    old: Tensor | None = None
    reference: Tensor | None = None

    def at(self, batch: MicroBatch) -> tuple[Tensor | None, Tensor | None]:
        """Both, for the tokens of one micro-batch."""
        pick = (None if x is None else x.index_select(0, batch.numbers) for x in (self.old, self.reference))
        old, reference = pick
        return old, reference


@dataclass
class Learner:
    """What a step changes: the policy, its optimizer, and how many steps the optimizer has seen in the whole run."""

    policy: Policy
    parameters: Mapping[str, torch.nn.Parameter]
    optimizer: torch.optim.AdamW
    config: TrainerConfig
    world: World
    half: bool = False
    optimizer_steps: int = 0

    def forward(self, batch: MicroBatch) -> tuple[Tensor, Tensor]:
        """Log-probability and entropy of the micro-batch's trained tokens."""
        with torch.autocast(self.world.device.type, torch.bfloat16, enabled=self.half):
            logprobs, entropy = self.policy(batch)
        return logprobs, entropy


def micro_batches(
    data: TrainingSet, chosen: Sequence[int], shares: Sequence[float], max_tokens: int, world: World
) -> Iterator[MicroBatch]:
    """Micro-batches of this rank; every rank gets equally many, since they move through collectives in step."""
    lengths = [data.samples[i].length for i in chosen]
    packs = []
    for share in share_ranks(lengths, world.size):
        groups = pack_micro_batches([lengths[i] for i in share], max_tokens)
        packs.append([[share[i] for i in group] for group in groups])
    for number in range(max(map(len, packs))):
        if number < len(packs[world.rank]):
            group = packs[world.rank][number]
            yield build_micro_batch(data, [chosen[i] for i in group], [shares[i] for i in group], world.device)
        else:
            yield idle_micro_batch(world.device)


def take_step(
    learner: Learner, data: TrainingSet, chosen: Sequence[int], known: Known, number: int, stop: StopRequest
) -> dict[str, Any]:
    """Train on the chosen samples once; the metrics row says in `skipped` why weights were left alone, if they were.

    :param number: which step of the job; before step 0 the policy is the one whose log-probabilities are the old ones
    :raises TrainingStopped: SIGTERM came and the step would not end in time; weights are as before the step
    """
    config, world = learner.config, learner.world
    samples = [data.samples[i] for i in chosen]
    weights = {"agent": config.agent_weight, "designer": config.designer_weight}
    shares = token_shares(samples, config.aggregation, weights)
    learner.optimizer.zero_grad(set_to_none=True)
    batches = list(micro_batches(data, chosen, shares, config.max_tokens_per_microbatch, world))
    sums, maxima = _accumulate(learner, batches, known if number else Known(None, known.reference), stop)
    add_up_gradients(learner.parameters.values(), world)
    values, tops = add_up(sums, world).tolist(), largest(maxima, world).tolist()
    norm = _gradient_norm(learner)
    extra = {
        "tokens": sum(s.length for s in samples),
        "sequences": len(samples),
        "microBatches": len(batches),
        "gradientNorm": norm,
        "learningRate": learning_rate(config, learner.optimizer_steps),
        "weightByRole": {role: _weight_share(samples, role, weights) for role in ROLES},
        "lossByRole": {role: _role_mean(samples, role, values, weights, config.aggregation) for role in ROLES},
    }
    row = step_row(number, values, tops, extra)
    row["skipped"] = _reason_to_skip(values, norm, row["samplerGap"], config)
    if row["skipped"] is None:
        _apply(learner, norm)
    learner.optimizer.zero_grad(set_to_none=True)
    return row


def _accumulate(
    learner: Learner, batches: Sequence[MicroBatch], known: Known, stop: StopRequest
) -> tuple[Tensor, Tensor]:
    device = learner.world.device
    sums = torch.zeros(len(SUMS), dtype=torch.float64, device=device)
    maxima = torch.zeros(len(MAXIMA), dtype=torch.float64, device=device)
    begun = time.monotonic()
    for done, batch in enumerate(batches):
        seconds_each = (time.monotonic() - begun) / done if done else 0.0
        if _agreed(stop.too_late_for(seconds_each * (len(batches) - done)), learner.world):
            raise TrainingStopped("SIGTERM: the step would not have ended in time")
        logprobs, entropy = learner.forward(batch)
        scored = score_micro_batch(batch, logprobs, entropy, *known.at(batch), learner.config)
        scored.loss.backward()  # type: ignore[no-untyped-call]
        sums += scored.sums
        maxima = maxima.maximum(scored.maxima)
    return sums, maxima


def _agreed(here: bool, world: World) -> bool:
    """True on every rank as soon as it is true on one."""
    if world.size == 1:
        return here
    return bool(largest(torch.tensor(float(here), device=world.device), world).item())


def _gradient_norm(learner: Learner) -> float:
    """Euclidean norm of the whole gradient, over all ranks."""
    gradients = [p.grad for p in learner.parameters.values() if p.grad is not None]
    return float(whole(torch.nn.utils.get_total_norm(gradients)))


def _reason_to_skip(sums: Sequence[float], norm: float, gap: float | None, config: TrainerConfig) -> str | None:
    if not math.isfinite(sums[SUMS.index("loss")]):
        return "non-finite-loss"
    if not math.isfinite(norm):
        return "non-finite-gradient"
    if gap is not None and gap > config.max_sampler_gap:
        return "sampler-gap"
    return None


def _apply(learner: Learner, norm: float) -> None:
    """Clip the gradient to `max_grad_norm` and let Adam move the weights."""
    scale = min(1.0, learner.config.max_grad_norm / (norm + 1e-6))
    for parameter in learner.parameters.values():
        if parameter.grad is not None and scale < 1.0:
            parameter.grad.mul_(scale)
    for group in learner.optimizer.param_groups:
        group["lr"] = learning_rate(learner.config, learner.optimizer_steps)
    learner.optimizer.step()
    learner.optimizer_steps += 1


def _weight_share(samples: Sequence[TrainingSample], role: str, weights: Mapping[str, float]) -> float:
    """How much a role's samples count in the step: role weight times its part of all sample weights (M32)."""
    mine = sum(s.weight for s in samples if s.role == role)
    return float(weights[role] * mine / sum(s.weight for s in samples))


def _role_mean(
    samples: Sequence[TrainingSample], role: str, sums: Sequence[float], weights: Mapping[str, float], aggregation: str
) -> float | None:
    """The role's own loss: its share of the loss, freed from role weight and from the other role's samples."""

    def count(of: Sequence[TrainingSample]) -> float:
        return sum(s.weight * (s.trained if aggregation == "token-mean" else 1) for s in of)

    mine = count([s for s in samples if s.role == role])
    if not mine or not weights[role]:
        return None
    return sums[SUMS.index(f"loss:{role}")] / weights[role] * count(samples) / mine
