"""AdamW and its learning rate. Moments are kept by parameter name, so that the next job can take them up (M34)."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from .config import TrainerConfig


def make_optimizer(parameters: Mapping[str, torch.nn.Parameter], config: TrainerConfig) -> torch.optim.AdamW:
    """Decoupled weight decay on matrices only: decaying a norm's gain pulls the layer towards silence."""
    matrices = [p for p in parameters.values() if p.ndim >= 2]
    vectors = [p for p in parameters.values() if p.ndim < 2]
    on_gpu = any(p.is_cuda for p in parameters.values())
    return torch.optim.AdamW(
        [{"params": matrices, "weight_decay": config.weight_decay}, {"params": vectors, "weight_decay": 0.0}],
        lr=config.learning_rate,
        betas=(config.adam_beta1, config.adam_beta2),
        fused=on_gpu,
    )


def learning_rate(config: TrainerConfig, steps_done: int) -> float:
    """Rate of the step after `steps_done` optimizer steps: rate · min(1, (steps_done + 1) / warmup_steps), constant
    after.

    `steps_done` counts over the whole run when the optimizer state is carried, hence the warm-up happens once. With
    `fresh` there is no warm-up.
    """
    if config.optimizer_state == "fresh" or config.warmup_steps == 0:
        return config.learning_rate
    return config.learning_rate * min(1.0, (steps_done + 1) / config.warmup_steps)


def moments(optimizer: torch.optim.AdamW, parameters: Mapping[str, torch.nn.Parameter]) -> dict[str, Tensor]:
    """Adam's two moments of every parameter as `exp_avg.<name>` and `exp_avg_sq.<name>`; empty before the first
    step.
    """
    found = {}
    for name, parameter in parameters.items():
        for kind in ("exp_avg", "exp_avg_sq"):
            if kind in optimizer.state.get(parameter, {}):
                found[f"{kind}.{name}"] = optimizer.state[parameter][kind]
    return found


def restore_moments(
    optimizer: torch.optim.AdamW,
    parameters: Mapping[str, torch.nn.Parameter],
    stored: Mapping[str, Tensor],
    steps: int,
) -> None:
    """Put stored moments back; `steps` is the number of steps they have seen (Adam's bias correction needs it)."""
    for name, parameter in parameters.items():
        if f"exp_avg.{name}" not in stored:
            continue
        on_device = parameter.is_cuda
        optimizer.state[parameter] = {
            "step": torch.tensor(float(steps), device=parameter.device if on_device else None),
            "exp_avg": _like(stored[f"exp_avg.{name}"], parameter),
            "exp_avg_sq": _like(stored[f"exp_avg_sq.{name}"], parameter),
        }


def _like(value: Tensor, parameter: torch.nn.Parameter) -> Tensor:
    from .distributed import shard_like

    return shard_like(value.to(device=parameter.device, dtype=parameter.dtype), parameter)
