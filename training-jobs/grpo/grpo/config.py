"""Hyperparameters of one training job: SageMaker hands them over as strings, here they become a checked record."""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Callable, Mapping
from typing import Any

from .errors import ContractError

AGGREGATIONS = ("sample-mean", "token-mean")
PRECISIONS = ("float32", "float64", "bfloat16")
OPTIMIZER_STATES = ("carry", "fresh", "warmup")
# Keys that the SageMaker training toolkit adds on its own; they are not ours to judge.
TOOLKIT_PREFIX = "sagemaker_"


@dataclasses.dataclass(frozen=True)
class TrainerConfig:
    """One job's settings. Defaults are those of method.md §7 unless the line says otherwise.

    Units: rates are per optimizer step, log-probabilities are in nats, `checkpoint_seconds` and `stop_grace_seconds`
    are wall-clock seconds, `max_tokens_per_microbatch` counts tokens of packed sequences.
    """

    policy_version: int
    learning_rate: float = 1e-6
    adam_beta1: float = 0.9
    adam_beta2: float = 0.98
    weight_decay: float = 0.1
    clip_low: float = 0.2
    clip_high: float = 0.28
    tis_cap: float = 2.0
    aggregation: str = "sample-mean"
    agent_weight: float = 1.0
    designer_weight: float = 1.0
    kl_coef: float = 0.0
    entropy_coef: float = 0.0
    epochs: int = 1
    steps_per_epoch: int = 1
    max_tokens_per_microbatch: int = 16384
    max_grad_norm: float = 1.0
    seed: int = 0
    precision: str = "float32"
    lora_rank: int = 0
    lora_alpha: int = 0
    """Scale numerator of LoRA; 0 stands for twice the rank."""
    base_model: str = "base"
    """Name written into a published adapter as its base model."""
    optimizer_state: str = "carry"
    warmup_steps: int = 0
    threads: int = 0
    """CPU threads; 0 leaves the library's own choice (which makes bits depend on the machine)."""
    gradient_checkpointing: bool = False
    logits_chunk: int = 0
    """Trained tokens whose logits exist at once; 0 chooses a chunk of about 64 MB of logits."""
    max_sampler_gap: float = 0.5
    """Mean |trainer - sampler| log-probability above which no step is taken (wrong weights, template or
    temperature)."""
    max_skipped_steps: int = 3
    """Non-finite steps in a row after which training stops with the last good weights."""
    checkpoint_seconds: float = 300.0
    """Least time between two checkpoints; 0 writes one after every step but the last."""
    stop_grace_seconds: float = 90.0
    """On SIGTERM a step that would end later than this is given up, not finished (SIGKILL comes at 120 s)."""

    def __post_init__(self) -> None:
        for name, rule, words in _RULES:
            value = getattr(self, name)
            if not rule(value):
                raise ContractError(f"hyperparameter {name}={value!r}: expected {words}")


_Rule = tuple[str, Callable[[Any], bool], str]


def _at_least(names: str, low: float) -> list[_Rule]:
    return [(n, lambda v: math.isfinite(v) and v >= low, f"a finite number >= {low}") for n in names.split()]


def _one_of(name: str, choices: tuple[str, ...]) -> _Rule:
    return (name, lambda v: v in choices, "one of " + ", ".join(choices))


_RULES: list[_Rule] = [
    *_at_least("learning_rate weight_decay agent_weight designer_weight kl_coef entropy_coef lora_alpha", 0),
    *_at_least("policy_version lora_rank warmup_steps threads logits_chunk max_sampler_gap", 0),
    *_at_least("checkpoint_seconds stop_grace_seconds clip_high", 0),
    *_at_least("epochs steps_per_epoch max_tokens_per_microbatch max_skipped_steps", 1),
    ("adam_beta1", lambda v: 0 <= v < 1, "a number in [0, 1)"),
    ("adam_beta2", lambda v: 0 <= v < 1, "a number in [0, 1)"),
    ("clip_low", lambda v: 0 <= v <= 1, "a number in [0, 1]"),
    ("tis_cap", lambda v: v > 0, "a number > 0"),
    ("max_grad_norm", lambda v: v > 0, "a number > 0"),
    _one_of("aggregation", AGGREGATIONS),
    _one_of("precision", PRECISIONS),
    _one_of("optimizer_state", OPTIMIZER_STATES),
]

_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def _flag(text: str) -> bool:
    return _FLAGS[text.strip().lower()]


_PARSERS: dict[str, Callable[[str], Any]] = {"int": int, "float": float, "bool": _flag, "str": str}


def parse_config(hyperparameters: Mapping[str, Any]) -> TrainerConfig:
    """Turn SageMaker's string map into a TrainerConfig.

    :raises ContractError: unknown key (with the nearest known one), missing policy_version, unreadable or
        out-of-range value.
    """
    fields = {f.name: f for f in dataclasses.fields(TrainerConfig)}
    values: dict[str, Any] = {}
    for key, raw in hyperparameters.items():
        if key.startswith(TOOLKIT_PREFIX):
            continue
        if key not in fields:
            near = difflib.get_close_matches(key, fields, n=1)
            raise ContractError(f"unknown hyperparameter {key!r}" + (f", did you mean {near[0]!r}?" if near else ""))
        try:
            values[key] = _PARSERS[str(fields[key].type)](str(raw))
        except (ValueError, KeyError) as error:
            raise ContractError(f"hyperparameter {key}={raw!r}: expected {fields[key].type}") from error
    if "policy_version" not in values:
        raise ContractError("hyperparameter policy_version is missing: the number of the policy that this job makes")
    return TrainerConfig(**values)
