"""Writing the policy: Hugging Face format in the precision it came in, or an adapter at the archive's root."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from .config import TrainerConfig
from .errors import TrainerError
from .files import canonical_json, sha256, write_text
from .model import ADAPTER_CONFIG
from .model_card import model_card

MANIFEST = "training-manifest.json"
# Weights and what describes one job's weights are made anew; everything else of a policy is handed on as it came.
_REPLACED = (".safetensors", ".safetensors.index.json", "README.md", MANIFEST)
SHARD_SIZE = "5GB"


class NonFiniteWeights(TrainerError):
    """A weight is NaN or infinite: nothing may be published (M24)."""


def write_policy(
    source: Path,
    target: Path,
    weights: Mapping[str, Tensor],
    config: TrainerConfig,
    summary: Mapping[str, Any],
    model: Any,
) -> None:
    """Fill the model folder; the manifest comes last, so a folder with one is complete.

    :param source: the policy that the job started from, whose tokenizer and configuration are handed on
    :param weights: all tensors to store, in the precision to publish
    :raises NonFiniteWeights: before any file is written
    """
    broken = [name for name, tensor in weights.items() if not bool(torch.isfinite(tensor).all())]
    if broken:
        raise NonFiniteWeights(f"{len(broken)} of {len(weights)} tensors are not finite, first {broken[0]}")
    target.mkdir(parents=True, exist_ok=True)
    (target / MANIFEST).unlink(missing_ok=True)
    if not config.lora_rank:
        _hand_on(source, target)
    if config.lora_rank:
        _write_adapter_config(model, target, config)
    _write_weights(target, weights, config)
    write_text(target / "README.md", model_card(config, summary))
    files = {str(p.relative_to(target)): sha256(p) for p in sorted(target.rglob("*")) if p.is_file()}
    manifest = {
        "policyVersion": config.policy_version,
        "kind": "adapter" if config.lora_rank else "full",
        "files": files,
    }
    write_text(target / MANIFEST, canonical_json(manifest) + "\n")


def _hand_on(source: Path, target: Path) -> None:
    """Copy tokenizer, chat template and configuration as they came."""
    for path in sorted(source.rglob("*")):
        if path.is_file() and not path.name.endswith(_REPLACED):
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)


def _write_weights(target: Path, weights: Mapping[str, Tensor], config: TrainerConfig) -> None:
    """One file, or shards with an index when the model is larger than SHARD_SIZE."""
    tensors = {name: tensor.cpu().contiguous() for name, tensor in sorted(weights.items())}
    metadata = {"format": "pt"}
    if config.lora_rank:
        save_file(tensors, target / "adapter_model.safetensors", metadata)
        return
    from huggingface_hub import split_torch_state_dict_into_shards

    plan = split_torch_state_dict_into_shards(tensors, max_shard_size=SHARD_SIZE)
    for file, names in plan.filename_to_tensors.items():
        save_file({name: tensors[name] for name in names}, target / file, metadata)
    if plan.is_sharded:
        index = {"metadata": plan.metadata, "weight_map": plan.tensor_to_filename}
        write_text(target / "model.safetensors.index.json", canonical_json(index) + "\n")


def published_weights(model: Any, dtype: torch.dtype) -> dict[str, Tensor]:
    """Whole (unsharded) tensors to store, by their Hugging Face names; tied tensors once.

    A full model goes out in `dtype`, an adapter in the precision it was trained in.
    """
    from .distributed import whole

    if hasattr(model, "peft_config"):
        from peft import get_peft_model_state_dict

        return {name: whole(value) for name, value in get_peft_model_state_dict(model).items()}
    tied = set(getattr(model, "_tied_weights_keys", None) or ()) if model.config.tie_word_embeddings else set()
    state = {name: value for name, value in model.state_dict().items() if name not in tied}
    return {name: whole(value).to(dtype) for name, value in state.items()}


def _write_adapter_config(model: Any, target: Path, config: TrainerConfig) -> None:
    """`adapter_config.json` with the base model's name instead of the path of this machine."""
    settings = model.peft_config["default"].to_dict()
    settings.update(base_model_name_or_path=config.base_model, inference_mode=True)
    settings = {key: sorted(value) if isinstance(value, set) else value for key, value in settings.items()}
    write_text(target / ADAPTER_CONFIG, canonical_json(settings) + "\n")
