"""The warm start: next-token prediction on generated conversations, resumable and reproducible."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence as Items
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist
from torch import Tensor
from torch.multiprocessing.spawn import spawn
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grad_norm_
from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

from .batches import Sequence, encode, microbatches, padded
from .checkpoint import resume, save_checkpoint, save_policy
from .demonstrations import conversation, tokenizer_texts
from .model import fresh_model
from .muon import Muon
from .recipe import Recipe, rate
from .tokenizer import Codec, train_tokenizer


def step_sequences(codec: Codec, recipe: Recipe, step: int, worker: int) -> list[Sequence]:
    """One worker's conversations of one step: a function of its arguments, so a resumed run sees the same ones."""
    rng = Random(f"warm-start:{recipe.seed}:{step}:{worker}")
    sequences: list[Sequence] = []
    tokens = 0
    while tokens < recipe.step_tokens // recipe.workers:
        sequences.append(encode(codec, conversation(rng)))
        tokens += len(sequences[-1].tokens)
    return sequences


def accumulate(model: Qwen3ForCausalLM, sequences: list[Sequence], budget: int, pad: int) -> tuple[float, int]:
    """Adds the gradient of the summed loss over all learnt tokens; returns that loss (nats) and their number."""
    total = 0.0
    for batch in microbatches(sequences, budget):
        inputs, labels = padded(batch, pad)
        hidden = model.model(inputs[:, :-1], use_cache=False).last_hidden_state
        targets = labels[:, 1:]
        wanted = targets != -100
        logits = model.lm_head(hidden[wanted])  # (learnt tokens, vocabulary): the rest needs no logits
        loss = cross_entropy(logits, targets[wanted], reduction="sum")
        loss.backward()  # type: ignore[no-untyped-call]
        total += loss.item()
    return total, sum(sum(each.learnt) for each in sequences)


def shared_mean(parameters: Items[Tensor], loss: float, count: int) -> float:
    """Turns every worker's summed gradients into the mean over the tokens of all workers; returns the mean loss."""
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    flat = torch.cat([*(gradient.flatten() for gradient in gradients), torch.tensor([loss, float(count)])])
    if dist.is_initialized():
        dist.all_reduce(flat)
    flat /= flat[-1].clone()
    means = torch.split(flat[:-2], [gradient.numel() for gradient in gradients])
    for gradient, mean in zip(gradients, means, strict=True):
        gradient.copy_(mean.view_as(gradient))
    return float(flat[-2])


def optimizers(model: Qwen3ForCausalLM, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of the layers, AdamW for embeddings and norms."""
    matrices = [parameter for parameter in model.model.layers.parameters() if parameter.ndim == 2]
    chosen = {id(parameter) for parameter in matrices}
    others = [parameter for parameter in model.parameters() if id(parameter) not in chosen]
    return [
        Muon(matrices, lr=recipe.learning_rate),
        torch.optim.AdamW(others, lr=recipe.learning_rate, betas=(0.9, 0.98), weight_decay=0.01),
    ]


def report(recipe: Recipe, step: int, loss: float, seconds: float, done: int) -> None:
    """One line of progress as JSON on standard output; `done` steps took `seconds`."""
    line = {
        "event": "progress",
        "phase": "warm-start",
        "done": step + 1,
        "total": recipe.steps,
        "loss": round(loss, 4),
        "tokensPerSecond": round(recipe.step_tokens * done / seconds),
        "secondsLeft": round(seconds / done * (recipe.steps - step - 1)),
    }
    print(json.dumps(line), flush=True)


def run_worker(worker: int, folder: Path, recipe: Recipe, meeting: str) -> None:
    """One worker's part of the run. Worker 0 reports and saves."""
    parent = os.getppid()
    torch.set_num_threads(1)
    if recipe.workers > 1:
        dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=worker, world_size=recipe.workers)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    codec = Codec(tokenizer)
    model = fresh_model(len(tokenizer), codec.pad, codec.end, recipe.seed).train()
    solvers = optimizers(model, recipe)
    first = resume(folder, recipe, model, solvers)
    started = time.monotonic()
    for step in range(first, recipe.steps):
        if os.getppid() != parent:
            raise SystemExit("the run that started this worker is gone")
        model.zero_grad(set_to_none=True)
        total, count = accumulate(
            model, step_sequences(codec, recipe, step, worker), recipe.microbatch_tokens, codec.pad
        )
        loss = shared_mean(list(model.parameters()), total, count)
        clip_grad_norm_(model.parameters(), 1.0)
        for solver in solvers:
            for group in solver.param_groups:
                group["lr"] = rate(recipe, step)
            solver.step()
        last = step + 1 == recipe.steps
        if worker == 0 and (last or step % 20 == 19):
            report(recipe, step, loss, time.monotonic() - started, step + 1 - first)
        if worker == 0 and (last or (step + 1) % recipe.checkpoint_every == 0):
            save_checkpoint(folder, recipe, step + 1, model, solvers)
            save_policy(model, tokenizer, folder)


def train(folder: Path, recipe: Recipe) -> None:
    """Runs the recipe into `folder`, going on from its checkpoint; leaves the policy there."""
    folder.mkdir(parents=True, exist_ok=True)
    train_tokenizer(tokenizer_texts(recipe.seed, recipe.tokenizer_texts)).save_pretrained(folder)
    with TemporaryDirectory() as scratch:
        meeting = f"{scratch}/meeting"
        if recipe.workers == 1:
            run_worker(0, folder, recipe, meeting)
        else:
            spawn(run_worker, (folder, recipe, meeting), nprocs=recipe.workers)  # type: ignore[no-untyped-call]
