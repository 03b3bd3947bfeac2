"""Correctness, model FLOP utilisation and memory on a GPU, in one go of less than 15 minutes.

    python benchmarks/trainer/gpu.py                  all shapes, the second of two rounds is the rerun
    python benchmarks/trainer/gpu.py --shapes 0.6b    one shape
    python benchmarks/trainer/gpu.py --dry-run        the same code on the CPU with a toy shape: minutes, numbers mean nothing

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
    "0.6b": {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, "num_attention_heads": 16},
    "4b": {"hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36, "num_attention_heads": 32},
    "toy": {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4},
}
MODES = {"full": {}, "lora": {"lora_rank": 32}}
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
    print(json.dumps({"device": name, "torch": torch.__version__, "check": check_packing(world)}), flush=True)
    for _ in range(1 if options.dry_run else options.rounds):
        for shape in ["toy"] if options.dry_run else options.shapes:
            for mode in MODES:
                print(json.dumps({"shape": shape, "mode": mode, **measure(shape, mode, world)}), flush=True)
    leave_world(world)


def check_packing(world: Any) -> dict[str, float]:
    """Packed half-precision log-probabilities against one sequence at a time in float32, same weights: differences in nats.

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
    from grpo.attention import ATTENTION
    from grpo.config import TrainerConfig
    from grpo.distributed import shard_policy
    from grpo.microbatch import TrainingSet
    from grpo.model import _with_adapter, trainable_parameters
    from grpo.optimizer import make_optimizer
    from grpo.policy import Policy
    from grpo.step import Known, Learner, take_step
    from grpo.stop import StopRequest
    from grpo.timings import Stopwatch, training_flops_per_token

    toy = shape == "toy"
    config = TrainerConfig(
        policy_version=1,
        precision="bfloat16",
        gradient_checkpointing=True,
        max_tokens_per_microbatch=2048 if toy else 32768,
        max_sampler_gap=1e9,
        **MODES[mode],  # type: ignore[arg-type]
    )
    gpu = world.device.type == "cuda"
    model = random_model(shape, 1000 if toy else 151936, torch.bfloat16 if mode == "lora" else torch.float32, world, ATTENTION)
    parameters_in_all = sum(p.numel() for p in model.parameters())
    if mode == "lora":
        model = _with_adapter(model, None, config)
    model.enable_input_require_grads()
    model.gradient_checkpointing_enable({"use_reentrant": False})
    policy = Policy(model.train(), 0)
    if mode == "full" and gpu:
        shard_policy(policy, world, half=True)
    parameters = trainable_parameters(model)
    half = mode == "lora" or not gpu
    learner = Learner(policy, parameters, make_optimizer(parameters, config), config, world, half=half)
    samples = ragged_batch(32 if toy else 256, 1000 if toy else 151936, median=60 if toy else 1200, longest=512 if toy else 8192)
    data = TrainingSet.of(samples)
    watch = Stopwatch({})
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
    mean_length = sum(s.length**2 for s in samples) / sum(s.length for s in samples)
    settings = model.config
    flops = training_flops_per_token(parameters_in_all, settings.num_hidden_layers, settings.hidden_size, mean_length)
    report = watch.report(flops, world.device, world.size)
    return {"parameters": parameters_in_all, "tokens": row["tokens"], **report}


if __name__ == "__main__":
    main()
