"""One process or many: the few collective operations that the trainer needs, each a no-op for a single process.

Full fine-tuning shards weights, gradients and moments over the ranks (FSDP2, `fully_shard`); LoRA copies the frozen
model to each rank and adds up the adapters' gradients. Start several processes with `torchrun`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class World:
    """One process among its peers."""

    rank: int
    size: int
    device: torch.device

    @property
    def leads(self) -> bool:
        """True for the one process that writes files and progress."""
        return self.rank == 0


def join_world() -> World:
    """Join the process group that torchrun's variables describe; alone without them."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    rank = int(os.environ.get("RANK", "0"))
    local = int(os.environ.get("LOCAL_RANK", "0"))
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    if size > 1:
        torch.distributed.init_process_group("nccl" if cuda else "gloo")
    return World(rank, size, device)


def leave_world(world: World) -> None:
    """Undo `join_world`."""
    if world.size > 1:
        torch.distributed.destroy_process_group()


def shard_policy(policy: Any, world: World, half: bool) -> None:
    """Shard a full-fine-tuning policy by decoder layer, in place; with `half`, compute in bfloat16 over float32
    masters.

    A single GPU takes this way too (a world of one), because it casts one layer at a time instead of keeping a second
    copy of all weights.
    """
    from torch.distributed import HashStore  # type: ignore[attr-defined]
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    if not torch.distributed.is_initialized():
        store = HashStore()
        backend = "nccl" if world.device.type == "cuda" else "gloo"
        torch.distributed.init_process_group(backend, store=store, rank=0, world_size=1)
    mesh = init_device_mesh(world.device.type, (world.size,))
    precision = MixedPrecisionPolicy(
        param_dtype=torch.bfloat16 if half else None, reduce_dtype=torch.float32 if half else None
    )
    # The loss of a micro-batch is a share of the whole step's, so gradients are added and never averaged. Forcing plain
    # sums also avoids two traps: Gloo cannot scale while it adds, and NCCL's average may be wrong in a world of one.
    for module in [*policy.lm.get_decoder().layers, policy]:
        fully_shard(module, mesh=mesh, mp_policy=precision)
        module.set_gradient_divide_factor(1.0)
        module.set_force_sum_reduction_for_comms(True)


def add_up(value: Tensor, world: World) -> Tensor:
    """Sum over ranks, in place."""
    if world.size > 1:
        torch.distributed.all_reduce(value)
    return value


def largest(value: Tensor, world: World) -> Tensor:
    """Maximum over ranks, in place."""
    if world.size > 1:
        torch.distributed.all_reduce(value, op=torch.distributed.ReduceOp.MAX)
    return value


def add_up_gradients(parameters: Iterable[torch.nn.Parameter], world: World) -> None:
    """Sum the gradients of replicated parameters over ranks; sharded ones are summed by their own reduce-scatter."""
    if world.size == 1:
        return
    for parameter in parameters:
        if parameter.grad is not None and not hasattr(parameter.grad, "full_tensor"):
            torch.distributed.all_reduce(parameter.grad)


def whole(value: Tensor) -> Tensor:
    """The unsharded tensor (a collective when it is sharded), detached."""
    value = value.detach()
    return value.full_tensor() if hasattr(value, "full_tensor") else value


def shard_like(value: Tensor, parameter: Tensor) -> Tensor:
    """`value` laid out like `parameter`: each rank keeps its part of a sharded one."""
    if not hasattr(parameter, "full_tensor"):
        return value
    from torch.distributed.tensor import DTensor, distribute_tensor

    assert isinstance(parameter, DTensor)

    return distribute_tensor(value, parameter.device_mesh, parameter.placements)
