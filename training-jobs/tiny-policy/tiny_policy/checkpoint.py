"""Policies and training states on disk."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

from .recipe import Recipe
from .tokenizer import Codec

CHECKPOINT = "checkpoint.pt"


def save_policy(model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Weights, configuration, tokenizer and chat template in Hugging Face format."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def load_policy(folder: Path) -> tuple[Qwen3ForCausalLM, Codec]:
    """The model and codec of a folder that `save_policy` wrote."""
    model = Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32)
    return model.eval(), Codec(PreTrainedTokenizerFast.from_pretrained(folder))


def save_checkpoint(
    folder: Path, recipe: Recipe, step: int, model: Qwen3ForCausalLM, solvers: list[torch.optim.Optimizer]
) -> None:
    """The whole state after `step` steps, written aside and renamed, so that it is never half there."""
    state = {
        "recipe": asdict(recipe),
        "step": step,
        "model": model.state_dict(),
        "optimizers": [solver.state_dict() for solver in solvers],
    }
    aside = folder / f"{CHECKPOINT}.new"
    torch.save(state, aside)
    aside.replace(folder / CHECKPOINT)


def resume(folder: Path, recipe: Recipe, model: Qwen3ForCausalLM, solvers: list[torch.optim.Optimizer]) -> int:
    """Takes up the checkpoint of `folder` if there is one; returns the step to go on with.

    Raises ValueError when the checkpoint belongs to another recipe.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return 0
    state: dict[str, Any] = torch.load(path, weights_only=True)
    if state["recipe"] != asdict(recipe):
        raise ValueError(f"{path} belongs to another recipe: {state['recipe']}; remove it or choose another folder")
    model.load_state_dict(state["model"])
    for solver, saved in zip(solvers, state["optimizers"], strict=True):
        solver.load_state_dict(saved)
    return int(state["step"])
