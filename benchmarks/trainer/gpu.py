"""Correctness, model FLOP utilisation and memory on a GPU, in one go of less than 15 minutes.

    python benchmarks/trainer/gpu.py                  all shapes, the second of two rounds is the rerun
    python benchmarks/trainer/gpu.py --shapes 0.6b    one shape
    python benchmarks/trainer/gpu.py --dry-run        the same code on the CPU with a toy shape: minutes, numbers
    mean nothing

Weights are random and stay in memory: nothing is downloaded or written but the report on standard output.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import time
from typing import Any

from batch import ragged_batch

SHAPES: dict[str, dict[str, Any]] = {
    "0.6b": {
        "hidden_size": 1024,
        "intermediate_size": 3072,
        "num_hidden_layers": 28,
        "num_attention_heads": 16,
    },
    "4b": {
        "hidden_size": 2560,
        "intermediate_size": 9728,
        "num_hidden_layers": 36,
        "num_attention_heads": 32,
    },
    "toy": {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
    },
}
MODES = ("full", "lora")
STEPS = 3
"""The first warms up kernels and allocator and is not counted."""


def main() -> None:
    """Print one JSON object a line: first the check, then a measurement for each shape, mode and round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="toy shape on the CPU")
    parser.add_argument("--shapes", nargs="+", default=["0.6b", "4b"], choices=list(SHAPES))
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()

    import torch
    from grpo.distributed import join_world, leave_world

    if not options.dry_run and not torch.cuda.is_available():
        parser.error("no CUDA device: use --dry-run")
    world = join_world()
    if options.dry_run:
        world = dataclasses.replace(world, device=torch.device("cpu"))
    name = "cpu" if options.dry_run else torch.cuda.get_device_name()
    print(
        json.dumps({"device": name, "torch": torch.__version__, "check": check_packing(world)}),
        flush=True,
    )
    for _ in range(1 if options.dry_run else options.rounds):
        for shape in ["toy"] if options.dry_run else options.shapes:
            for mode in MODES:
                print(
                    json.dumps({"shape": shape, "mode": mode, **measure(shape, mode, world)}),
                    flush=True,
                )
    leave_world(world)


def check_packing(world: Any) -> dict[str, float]:
    """Packed half-precision log-probabilities against one sequence at a time in float32, same weights: differences
    in nats.

    Half precision alone costs about 0.01 on average; a wrong boundary in the packing costs whole nats.
    """
    import torch
    from grpo.attention import ATTENTION
    from grpo.microbatch import TrainingSet, build_micro_batch
    from grpo.policy import Policy

    samples = ragged_batch(24, 1000, median=200, longest=1024)
    data = TrainingSet.of(samples)
    policy = Policy(random_model("toy", 1000, torch.float32, world, ATTENTION), 0).to(world.device)
    everything = list(range(len(samples)))
    with torch.no_grad():
        packed = build_micro_batch(data, everything, [0.0] * len(samples), world.device)
        with torch.autocast(world.device.type, torch.bfloat16):
            fast = torch.empty(data.offsets[-1], device=world.device)
            fast[packed.numbers] = policy(packed)[0].float()
        parts = (build_micro_batch(data, [i], [0.0], world.device) for i in everything)
        slow = torch.cat([policy(part)[0] for part in parts])
    gap = (fast - slow).abs()
    if not float(gap.mean()) < 0.05:
        raise SystemExit(f"packed attention is wrong: mean difference {float(gap.mean()):.3f} nats")
    return {"meanGap": float(gap.mean()), "maxGap": float(gap.max())}


def random_model(shape: str, vocabulary: int, dtype: Any, world: Any, attention: str) -> Any:
    """A Qwen3 of this shape with random weights, made on the device."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    heads = SHAPES[shape]["num_attention_heads"]
    config = Qwen3Config(
        **SHAPES[shape],
        vocab_size=vocabulary,
        num_key_value_heads=min(8, heads // 2),
        head_dim=16 if shape == "toy" else 128,
        tie_word_embeddings=True,
        max_position_embeddings=16384,
        attn_implementation=attention,
    )
    with torch.device(world.device):
        return Qwen3ForCausalLM(config).to(dtype)


def measure(shape: str, mode: str, world: Any) -> dict[str, Any]:
    """Train STEPS steps; tokens/s and MFU without the first, most memory over all."""
    import torch
    from grpo.microbatch import TrainingSet
    from grpo.step import Known, take_step
    from grpo.stop import StopRequest
    from grpo.timings import Stopwatch, training_flops_per_token

    toy, gpu = shape == "toy", world.device.type == "cuda"
    learner, parameters = make_learner(shape, mode, world)
    lengths = {"median": 60, "longest": 512} if toy else {"median": 1200, "longest": 8192}
    samples = ragged_batch(32 if toy else 256, vocabulary(shape), **lengths)
    data, watch = TrainingSet.of(samples), Stopwatch({})
    if gpu:
        torch.cuda.reset_peak_memory_stats()
    for number in range(STEPS):
        begun = time.monotonic()
        row = take_step(learner, data, range(len(samples)), Known(), number, StopRequest(90))
        if gpu:
            torch.cuda.synchronize()
        if row["skipped"]:
            raise SystemExit(f"step {number} was skipped: {row['skipped']}")
        if number:
            watch.step(time.monotonic() - begun, row["tokens"])
    flops = training_flops_per_token(parameters, learner.policy.lm.config, [s.length for s in samples])
    return {
        "parameters": parameters,
        "tokens": row["tokens"],
        **watch.report(flops, world.device, world.size),
    }


def vocabulary(shape: str) -> int:
    """Qwen3's, or a toy's."""
    return 1000 if shape == "toy" else 151936


def make_learner(shape: str, mode: str, world: Any) -> tuple[Any, int]:
    """The trainer's own learner around a random model in bfloat16, and the model's number of parameters."""
    import torch
    from grpo.attention import ATTENTION
    from grpo.config import TrainerConfig
    from grpo.distributed import shard_policy
    from grpo.model import trainable_parameters, with_adapter
    from grpo.optimizer import make_optimizer
    from grpo.policy import Policy
    from grpo.step import Learner

    config = TrainerConfig(
        policy_version=1,
        precision="bfloat16",
        max_tokens_per_microbatch=2048 if shape == "toy" else 32768,
        max_sampler_gap=1e9,
        lora_rank=32 if mode == "lora" else 0,
    )
    frozen = torch.bfloat16 if mode == "lora" else torch.float32
    model = random_model(shape, vocabulary(shape), frozen, world, ATTENTION)
    size = sum(p.numel() for p in model.parameters())
    if mode == "lora":
        model = with_adapter(model, None, config)
    model.enable_input_require_grads()
    model.gradient_checkpointing_enable({"use_reentrant": False})
    policy = Policy(model.train(), 0)
    sharded = mode == "full" and world.device.type == "cuda"
    if sharded:
        shard_policy(policy, world, half=True)
    parameters = trainable_parameters(model)
    return Learner(
        policy,
        parameters,
        make_optimizer(parameters, config),
        config,
        world,
        half=not sharded,
    ), size


if __name__ == "__main__":
    main()
