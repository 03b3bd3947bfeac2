"""Random policies of the Qwen3 architecture and job folders around them, all from seeds."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

VOCABULARY = 61


def tiny_model(seed: int = 0, dtype: torch.dtype = torch.float32, **changes: Any) -> Any:
    """A random Qwen3 of a few thousand parameters; weights are large enough that every token's probability differs."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    shape: dict[str, Any] = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "max_position_embeddings": 128,
        "tie_word_embeddings": True,
        "initializer_range": 0.3,
        "pad_token_id": None,
        "bos_token_id": None,
        "eos_token_id": 1,
    }
    torch.manual_seed(seed)
    model = Qwen3ForCausalLM(Qwen3Config(**{**shape, **changes})).to(dtype).eval()
    if dtype == torch.float64:
        _use_exact_norms(model)
    return model


def _use_exact_norms(model: Any) -> None:
    """The architecture rounds to float32 inside its norms whatever its own precision; exact comparisons cannot have
    that.
    """
    for module in model.modules():
        if type(module).__name__ == "Qwen3RMSNorm":
            module.forward = partial(_exact_norm, module)


def _exact_norm(module: Any, states: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.rms_norm(states, states.shape[-1:], module.weight, module.variance_epsilon)


def sampler_logprobs(model: Any, token_ids: Sequence[int], temperature: float = 1.0) -> list[float]:
    """What an honest sampler would have reported for each token: plain transformers, float64; 0 for the first."""
    with torch.no_grad():
        logits = model(torch.tensor([list(token_ids)])).logits[0].double() / temperature
    logs = torch.log_softmax(logits, dim=-1)
    return [0.0, *(float(logs[i - 1, t]) for i, t in enumerate(token_ids) if i)]


def make_rows(model: Any, count: int, seed: int = 0, longest: int = 24, **changes: Any) -> list[dict[str, Any]]:
    """Samples of random tokens with honest log-probabilities; every third is the designer's, a few trained gaps
    inside.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        length = int(rng.integers(5, longest))
        tokens = [int(t) for t in rng.integers(0, model.config.vocab_size, length)]
        mask = [0, 0, *(int(rng.random() < 0.7) for _ in range(length - 3)), 1]
        temperature = float(rng.choice([1.0, 0.7]))
        logs = sampler_logprobs(model, tokens, temperature)
        row = {
            "id": f"sample-{number:03d}",
            "role": "designer" if number % 3 == 2 else "agent",
            "group": f"group-{number // 4}",
            "tokenIds": tokens,
            "mask": mask,
            "logprobs": [logp * kept for logp, kept in zip(logs, mask, strict=True)],
            "advantage": float(rng.normal()),
            "weight": float(rng.choice([1.0, 0.5])),
            "temperature": temperature,
            "policyVersion": 0,
        }
        rows.append({**row, **changes})
    return rows


def write_batch(folder: Path, rows: Iterable[Mapping[str, Any]], name: str = "samples.jsonl.gz") -> None:
    """The batch as the scoring phase writes it."""
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / name, "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)


def make_job(root: Path, model: Any, rows: Iterable[Mapping[str, Any]], **hyperparameters: Any) -> Path:
    """A job folder in SageMaker's layout, ready to be trained."""
    settings = {"policy_version": 1, "learning_rate": 1e-3, "threads": 1, **hyperparameters}
    config = root / "input" / "config"
    config.mkdir(parents=True)
    text = json.dumps({key: str(value) for key, value in settings.items()})
    (config / "hyperparameters.json").write_text(text, encoding="utf-8")
    model.save_pretrained(root / "input" / "data" / "policy")
    write_batch(root / "input" / "data" / "batch", rows)
    return root
