"""The two sides of the comparison: each makes a function that does one whole training step."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from grpo.samples import TrainingSample
from torch import Tensor

RATE = 1e-4


def import_everything() -> None:
    """What both sides need, so that no measurement contains an import."""
    import grpo.train
    import transformers.models.qwen3.modeling_qwen3
    from trl.trainer import grpo_trainer

    assert grpo.train and transformers and grpo_trainer


def versions() -> str:
    """Of everything that could change the numbers."""
    import transformers
    import trl

    return f"torch {torch.__version__}, transformers {transformers.__version__}, trl {trl.__version__}"


def random_model(shape: dict[str, Any]) -> Any:
    """The same random weights each time."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    return Qwen3ForCausalLM(Qwen3Config(**shape, pad_token_id=0, eos_token_id=1)).train()


def ours(model: Any, samples: Sequence[TrainingSample], micro_tokens: int) -> Callable[[], Any]:
    """The trainer's `take_step`."""
    from grpo.attention import ATTENTION
    from grpo.config import TrainerConfig
    from grpo.distributed import World
    from grpo.microbatch import TrainingSet
    from grpo.model import trainable_parameters
    from grpo.optimizer import make_optimizer
    from grpo.policy import Policy
    from grpo.step import Known, Learner, take_step
    from grpo.stop import StopRequest

    config = TrainerConfig(
        policy_version=1,
        learning_rate=RATE,
        max_tokens_per_microbatch=micro_tokens,
        max_sampler_gap=1e9,
    )
    model.set_attn_implementation(ATTENTION)
    parameters = trainable_parameters(model)
    world = World(0, 1, torch.device("cpu"))
    learner = Learner(Policy(model, 0), parameters, make_optimizer(parameters, config), config, world)
    data = TrainingSet.of(samples)
    return lambda: take_step(learner, data, range(len(samples)), Known(), 0, StopRequest(90))


def trl(model: Any, samples: Sequence[TrainingSample], micro_tokens: int) -> Callable[[], Any]:
    """TRL's GRPOTrainer with `loss_type="grpo"` (mean over tokens, then over samples), as ours."""
    from trl.trainer.utils import shuffle_sequence_dict, split_tensor_dict

    mean_length = sum(s.length for s in samples) / len(samples)
    parts = max(1, round(len(samples) * mean_length / micro_tokens))
    trainer = _trl_trainer(model)
    trainer.current_gradient_accumulation_steps = parts
    whole = _trl_batch(samples)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.1)

    def step() -> dict[str, float]:
        loss = 0.0
        for inputs in split_tensor_dict(shuffle_sequence_dict(whole), parts):
            part = trainer.compute_loss(model, inputs)
            part.backward()
            loss += part.item()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return {"loss": loss, "gradientNorm": float(norm)}

    return step


def _trl_trainer(model: Any) -> Any:
    from datasets import Dataset
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    words = {"<pad>": 0, "<end>": 1, "word": 2}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel(words, unk_token="word")),
        pad_token="<pad>",
        eos_token="<end>",
    )
    config = GRPOConfig(
        output_dir=str(Path(tempfile.gettempdir()) / "spade-benchmark-trl"),
        loss_type="grpo",
        beta=0.0,
        epsilon=0.2,
        epsilon_high=0.28,
        num_generations=2,
        per_device_train_batch_size=2,
        temperature=1.0,
        report_to=[],
        bf16=False,
        use_cpu=True,
        gradient_checkpointing=False,
    )
    dataset = Dataset.from_dict({"prompt": ["word"] * 2})
    return GRPOTrainer(
        model,
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=config,
        train_dataset=dataset,
        processing_class=tokenizer,
    )


def _trl_batch(samples: Sequence[TrainingSample]) -> dict[str, Tensor]:
    """As TRL lays out a generation batch: prompts padded on the left, completions on the right, both to the longest."""
    from trl.trainer.utils import pad

    starts = [int(s.mask.argmax()) for s in samples]
    prompts = [torch.from_numpy(s.token_ids[:at]) for s, at in zip(samples, starts, strict=True)]
    completions = [torch.from_numpy(s.token_ids[at:]) for s, at in zip(samples, starts, strict=True)]

    def both(parts: list[Tensor], side: str) -> tuple[Tensor, Tensor]:
        ones = [torch.ones_like(part) for part in parts]
        return pad(parts, padding_value=0, padding_side=side), pad(ones, padding_value=0, padding_side=side)

    prompt_ids, prompt_mask = both(prompts, "left")
    completion_ids, completion_mask = both(completions, "right")
    return {
        "prompt_ids": prompt_ids,
        "prompt_mask": prompt_mask,
        "completion_ids": completion_ids,
        "completion_mask": completion_mask,
        "advantages": torch.tensor([s.advantage for s in samples], dtype=torch.float32),
    }


def agree(shape: dict[str, Any], samples: Sequence[TrainingSample], micro_tokens: int) -> dict[str, float]:
    """Loss and gradient norm of both sides on a few samples; raises if they are not the same step."""
    import dataclasses

    # The sampler's log-probabilities are set to the policy's own, since TRL without vLLM knows no other.
    plain = random_model(shape).eval()
    honest = []
    for sample in samples:
        with torch.no_grad():
            logs = plain(torch.from_numpy(sample.token_ids)[None]).logits[0].log_softmax(-1)
        values = [
            0.0,
            *(float(logs[i - 1, t]) for i, t in enumerate(sample.token_ids) if i),
        ]
        honest.append(dataclasses.replace(sample, logprobs=torch.tensor(values).double().numpy() * sample.mask))
    # One micro-batch each: TRL's mean over parts is the mean over samples only when all parts are equally large.
    mine, theirs = (side(random_model(shape), honest, 1 << 20)() for side in (ours, trl))
    for key in ("loss", "gradientNorm"):
        if abs(mine[key] - theirs[key]) > 1e-3 * abs(theirs[key]) + 1e-5:
            raise SystemExit(f"the two sides differ in {key}: ours {mine[key]}, TRL {theirs[key]}")
    return {
        f"{key} {name}": row[key] for key in ("loss", "gradientNorm") for name, row in (("ours", mine), ("trl", theirs))
    }


SIDES = {"ours": ours, "trl": trl}
