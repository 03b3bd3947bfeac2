"""Safetensors to the tensors of the forward pass: cast once, and fused where one product can serve several."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from .config import ModelConfig, read_json
from .errors import PolicyLoadError


@dataclass(frozen=True)
class LayerWeights:
    """One decoder layer. `qkv` and `gate_up` are the checkpoint's matrices stacked along the output axis."""

    input_norm: Tensor  # (hidden,)
    qkv: Tensor  # ((heads + 2 * kv_heads) * head_dim, hidden)
    query_norm: Tensor  # (head_dim,)
    key_norm: Tensor  # (head_dim,)
    output: Tensor  # (hidden, heads * head_dim)
    post_norm: Tensor  # (hidden,)
    gate_up: Tensor  # (2 * intermediate, hidden)
    down: Tensor  # (hidden, intermediate)


@dataclass(frozen=True)
class Weights:
    """All tensors of a model in one floating-point type."""

    embedding: Tensor  # (vocab, hidden)
    layers: tuple[LayerWeights, ...]
    final_norm: Tensor  # (hidden,)
    head: Tensor  # (vocab, hidden)


def read_tensors(directory: Path) -> dict[str, Tensor]:
    """Every tensor of `model.safetensors`, or of the shards that `model.safetensors.index.json` lists.

    Raises:
        PolicyLoadError: a file is missing or damaged; the message names it.

    """
    index = directory / "model.safetensors.index.json"
    names = sorted(set(read_json(index)["weight_map"].values())) if index.exists() else ["model.safetensors"]
    tensors: dict[str, Tensor] = {}
    for name in names:
        path = directory / name
        if not path.is_file():
            raise PolicyLoadError(f"{path}: file not found")
        try:
            tensors.update(load_file(path))
        except (SafetensorError, OSError, ValueError) as error:
            raise PolicyLoadError(f"{path}: {error}") from error
    return tensors


def build_weights(config: ModelConfig, tensors: dict[str, Tensor], dtype: torch.dtype) -> Weights:
    """Cast, check the shapes and fuse.

    Raises:
        PolicyLoadError: a tensor is missing, has another shape than the configuration says, or is not finite.

    """
    heads, kv = config.heads * config.head_dim, config.kv_heads * config.head_dim
    hidden, inner = config.hidden_size, config.intermediate_size

    def take(name: str, *shape: int) -> Tensor:
        tensor = tensors.get(name)
        if tensor is None:
            raise PolicyLoadError(f"tensor {name} is missing")
        if tuple(tensor.shape) != shape:
            raise PolicyLoadError(f"tensor {name} has shape {tuple(tensor.shape)}, expected {shape}")
        if not bool(torch.isfinite(tensor).all()):
            raise PolicyLoadError(f"tensor {name} holds values that are not finite")
        return tensor.to(dtype).contiguous()

    def layer(prefix: str) -> LayerWeights:
        attention, mlp = f"{prefix}.self_attn", f"{prefix}.mlp"
        query = take(f"{attention}.q_proj.weight", heads, hidden)
        key = take(f"{attention}.k_proj.weight", kv, hidden)
        value = take(f"{attention}.v_proj.weight", kv, hidden)
        gate, up = take(f"{mlp}.gate_proj.weight", inner, hidden), take(f"{mlp}.up_proj.weight", inner, hidden)
        return LayerWeights(
            input_norm=take(f"{prefix}.input_layernorm.weight", hidden),
            qkv=torch.cat([query, key, value]),
            query_norm=take(f"{attention}.q_norm.weight", config.head_dim),
            key_norm=take(f"{attention}.k_norm.weight", config.head_dim),
            output=take(f"{attention}.o_proj.weight", hidden, heads),
            post_norm=take(f"{prefix}.post_attention_layernorm.weight", hidden),
            gate_up=torch.cat([gate, up]),
            down=take(f"{mlp}.down_proj.weight", hidden, inner),
        )

    embedding = take("model.embed_tokens.weight", config.vocab_size, hidden)
    return Weights(
        embedding=embedding,
        layers=tuple(layer(f"model.layers.{index}") for index in range(config.layers)),
        final_norm=take("model.norm.weight", hidden),
        head=embedding if config.tied_embeddings else take("lm_head.weight", config.vocab_size, hidden),
    )
