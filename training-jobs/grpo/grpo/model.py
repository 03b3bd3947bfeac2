"""Loading a policy for training: Hugging Face directories, LoRA adapters, precision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open

from .attention import ATTENTION
from .config import TrainerConfig
from .errors import ContractError

ADAPTER_CONFIG = "adapter_config.json"
DTYPES = {"F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def load_model(policy: Path, base: Path | None, config: TrainerConfig, device: torch.device) -> Any:
    """The language model to train, in training mode, its trainable parameters in float32 (float64 when asked).

    `policy` is a whole model or a LoRA adapter; an adapter needs its model in `base`. With `lora_rank` > 0 and a whole
    model a new adapter is put on it, drawn from the job's seed. Frozen weights keep the precision of the computation.

    :raises ContractError: an adapter without its base, an adapter in a job without LoRA, or an unsupported output head
    """
    adapter = policy if (policy / ADAPTER_CONFIG).is_file() else None
    if adapter and base is None:
        raise ContractError("channel 'policy' holds an adapter: channel 'base' must hold its model")
    if adapter and not config.lora_rank:
        raise ContractError("channel 'policy' holds an adapter: lora_rank must be its rank, not 0")
    model = _load_whole(base if adapter and base else policy, _storage_dtype(config))
    if config.lora_rank:
        model = with_adapter(model, adapter, config)
    if config.gradient_checkpointing:
        model.enable_input_require_grads()
        model.gradient_checkpointing_enable({"use_reentrant": False})
    return model.to(device).train()


def _storage_dtype(config: TrainerConfig) -> torch.dtype:
    """Trained weights need more digits than half precision has: an Adam step of 1e-6 would round to nothing."""
    if config.precision == "float64":
        return torch.float64
    frozen_half = config.precision == "bfloat16" and config.lora_rank
    return torch.bfloat16 if frozen_half else torch.float32


def _load_whole(folder: Path, dtype: torch.dtype) -> Any:
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, attn_implementation=ATTENTION, local_files_only=True
        )
    except (OSError, ValueError, KeyError) as error:
        raise ContractError(f"cannot load the policy in {folder.name!r}: {error}") from error
    if model.get_output_embeddings() is None or model.get_output_embeddings().bias is not None:
        raise ContractError("the trainer needs an output embedding without bias")
    if getattr(model.config, "final_logit_softcapping", None):
        raise ContractError("the trainer does not compute soft-capped logits")
    return model


def with_adapter(model: Any, adapter: Path | None, config: TrainerConfig) -> Any:
    """The model with a stored adapter on it, or with a new one drawn from the job's seed; only the adapter is
    trainable.
    """
    from peft import LoraConfig, PeftModel, get_peft_model

    if adapter:
        return PeftModel.from_pretrained(model, str(adapter), is_trainable=True)
    torch.manual_seed(config.seed)
    settings = LoraConfig(
        r=config.lora_rank,
        lora_alpha=config.lora_alpha or 2 * config.lora_rank,
        target_modules="all-linear",
        lora_dropout=0.0,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, settings)


def trainable_parameters(model: torch.nn.Module) -> dict[str, torch.nn.Parameter]:
    """Name to parameter, in the model's order; tied weights appear once."""
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def published_dtype(policy: Path) -> torch.dtype:
    """Precision in which the policy came, so that it leaves in the same: that of its first stored tensor."""
    path = _first_weights(policy)
    with safe_open(path, framework="pt") as file:
        name = next(iter(file.keys()))
        return DTYPES[file.get_slice(name).get_dtype()]


def _first_weights(folder: Path) -> Path:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        files: dict[str, str] = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        return folder / min(files.values())
    found = sorted(folder.glob("*.safetensors"))
    if not found:
        raise ContractError(f"no safetensors file in channel {folder.name!r}")
    return found[0]
