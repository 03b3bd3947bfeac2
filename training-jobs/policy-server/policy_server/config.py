"""The part of a Hugging Face `config.json` that the forward pass needs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import PolicyLoadError


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of a Qwen3 decoder. `context` is the number of positions, prompt and completion together."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int
    norm_eps: float
    rope_theta: float
    tied_embeddings: bool
    context: int


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file of a policy directory.

    Raises:
        PolicyLoadError: the file is missing, unreadable, or no JSON object; the message names it.

    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise PolicyLoadError(f"{path}: file not found") from None
    except (OSError, ValueError) as error:
        raise PolicyLoadError(f"{path}: {error}") from error
    if not isinstance(value, dict):
        raise PolicyLoadError(f"{path}: expected a JSON object")
    return value


def read_config(directory: Path) -> ModelConfig:
    """Read `config.json` and refuse every feature that the forward pass does not compute.

    Raises:
        PolicyLoadError: missing file or field, another architecture, scaled RoPE, biases, sliding windows.

    """
    path = directory / "config.json"
    raw = read_json(path)
    if raw.get("model_type") != "qwen3":
        raise PolicyLoadError(
            f"{path}: model_type is {raw.get('model_type')!r}; this server computes 'qwen3' only, "
            "use vLLM or another OpenAI-compatible server for other architectures"
        )
    rope = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    _refuse_unsupported(path, raw, rope)
    try:
        return ModelConfig(
            vocab_size=int(raw["vocab_size"]),
            hidden_size=int(raw["hidden_size"]),
            intermediate_size=int(raw["intermediate_size"]),
            layers=int(raw["num_hidden_layers"]),
            heads=int(raw["num_attention_heads"]),
            kv_heads=int(raw.get("num_key_value_heads") or raw["num_attention_heads"]),
            head_dim=int(raw["head_dim"]),
            norm_eps=float(raw.get("rms_norm_eps", 1e-6)),
            rope_theta=float(rope.get("rope_theta") or raw.get("rope_theta") or 10000.0),
            tied_embeddings=bool(raw.get("tie_word_embeddings", False)),
            context=int(raw["max_position_embeddings"]),
        )
    except KeyError as error:
        raise PolicyLoadError(f"{path}: {error.args[0]} is missing") from None


def _refuse_unsupported(path: Path, raw: dict[str, Any], rope: dict[str, Any]) -> None:
    kind = rope.get("rope_type", rope.get("type", "default"))
    found = {
        f"rope type {kind!r}": kind != "default",
        "attention_bias": bool(raw.get("attention_bias")),
        "use_sliding_window": bool(raw.get("use_sliding_window")),
        f"hidden_act {raw.get('hidden_act')!r}": raw.get("hidden_act", "silu") != "silu",
    }
    for feature, present in found.items():
        if present:
            raise PolicyLoadError(f"{path}: {feature} is not supported by this server")
