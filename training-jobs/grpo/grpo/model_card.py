"""The model card that travels with a published policy: what made these weights, with which settings and result."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .config import TrainerConfig

# Settings of the machine and of the schedule of checkpoints: they change no bit of the weights they end up in.
_NOT_OF_THE_MODEL = {"checkpoint_seconds", "stop_grace_seconds", "base_model"}


def model_card(config: TrainerConfig, summary: Mapping[str, Any]) -> str:
    """Markdown; a function of its arguments, so the same job writes the same card."""
    settings = {k: v for k, v in dataclasses.asdict(config).items() if k not in _NOT_OF_THE_MODEL}
    kind = f"LoRA adapter of rank {config.lora_rank}" if config.lora_rank else "full fine-tuning"
    lines = [
        "---",
        "library_name: " + ("peft" if config.lora_rank else "transformers"),
        "tags: [reinforcement-learning, grpo, self-play]",
        "---",
        f"# SPADE policy, version {config.policy_version}",
        "",
        "One language model in two roles: environment designer and reasoning agent. Trained by `training-jobs/grpo`",
        f"({kind}) on episodes that its predecessor played in environments it had designed itself.",
        "",
        "## Result of the training job",
        "",
        "| measure | value |",
        "|---|---|",
        *(f"| {name} | {_cell(value)} |" for name, value in summary.items()),
        "",
        "Meaning of each measure: `docs/trainer.md` of the project. No benchmark score is implied by these numbers.",
        "",
        "## Settings",
        "",
        "| hyperparameter | value |",
        "|---|---|",
        *(f"| {name} | {_cell(value)} |" for name, value in settings.items()),
    ]
    return "\n".join(lines) + "\n"


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_cell(item)}" for key, item in value.items())
    if isinstance(value, float):
        return f"{value:.6g}"
    return "none" if value is None else str(value)
