"""A policy version that is loaded: the model, its tokenizer and its chat template."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from .chat import ChatTemplate, load_template
from .config import read_config, read_json
from .errors import PolicyLoadError
from .model import Model
from .tokens import TextCodec
from .weights import build_weights, read_tensors


@dataclass(frozen=True, eq=False)
class Policy:
    """One version, immutable. `id` is the name that requests give as `model`."""

    id: str
    path: Path
    model: Model
    codec: TextCodec
    template: ChatTemplate | None


def load_policy(policy_id: str, path: Path, dtype: torch.dtype) -> Policy:
    """Read a Hugging Face directory: config.json, model.safetensors (or shards), tokenizer.json, a chat template.

    Raises:
        PolicyLoadError: something is missing, damaged or not supported; the message names the file.

    """
    if not path.is_dir():
        raise PolicyLoadError(f"{path}: no such directory")
    config = read_config(path)
    codec = TextCodec.load(path, _end_ids(path))
    template = load_template(path, codec)
    try:
        weights = build_weights(config, read_tensors(path), dtype)
    except PolicyLoadError as error:
        known = str(error).startswith(str(path))
        raise error if known else PolicyLoadError(f"{path / 'model.safetensors'}: {error}") from error
    return Policy(policy_id, path, Model(config, weights), codec, template)


def _end_ids(path: Path) -> frozenset[int]:
    """The ids that end a completion: generation_config.json's, or else config.json's."""
    files = [name for name in ("generation_config.json", "config.json") if (path / name).exists()]
    for name in files:
        found = read_json(path / name).get("eos_token_id")
        if found is not None:
            return frozenset(found if isinstance(found, list) else [found])
    raise PolicyLoadError(f"{path / 'config.json'}: no eos_token_id here nor in generation_config.json")
