"""The training job in run order: load, measure, step by step, publish."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import torch

from .checkpoint import CheckpointClock, Run, resume, save_checkpoint, save_final, take_up
from .config import TrainerConfig
from .distributed import World, join_world, leave_world, shard_policy
from .errors import TrainingStopped
from .files import canonical_json, write_lines, write_text
from .job import JobFolders
from .known import measure_known
from .metrics import summary
from .microbatch import TrainingSet
from .model import load_model, published_dtype, trainable_parameters
from .optimizer import make_optimizer
from .plan import deal_steps
from .policy import Policy
from .probe import probe_policy
from .progress import Progress
from .publish import published_weights, write_policy
from .samples import ROLES, Batch, read_batch
from .step import Learner, take_step
from .stop import StopRequest
from .timings import Stopwatch, training_flops_per_token
from .training_state import FINAL, remove_checkpoints


def run_job(
    folders: JobFolders, config: TrainerConfig, stop: StopRequest, import_seconds: float = 0.0
) -> dict[str, Any]:
    """Train, and leave `model/` and `checkpoints/` as the contract says; the answer is `summary.json`.

    :raises ContractError: input that cannot be trained on
    :raises TrainingStopped: SIGTERM; the checkpoints hold what a restart needs
    """
    world = join_world()
    watch = Stopwatch({"import": import_seconds})
    progress = Progress(world.leads)
    try:
        set_up_torch(config, world)
        with watch.phase("load"):
            learner = make_learner(folders, config, world)
            batch = read_samples(folders, learner)
        data = TrainingSet.of(batch.samples)
        steps = deal_steps(batch.samples, config.epochs, config.steps_per_epoch, config.seed)
        progress.emit("batch", samples=len(batch.samples), dropped=batch.dropped, steps=len(steps))
        with watch.phase("restore"):
            run = resume(folders.checkpoints, learner) or start(folders, learner, progress)
        with watch.phase("measure"):
            run.known = measure_known(folders, learner, data, run, steps, stop)
        with watch.phase("train"):
            done = train(folders, learner, data, steps, run, stop, progress, watch)
        with watch.phase("write"):
            result = write_outputs(folders, learner, batch, run, done)
        write_timings(folders, learner, batch, watch)
        progress.emit("finished", **result)
        return result
    finally:
        leave_world(world)


def set_up_torch(config: TrainerConfig, world: World) -> None:
    """Fix threads and, on the CPU, the order of additions: the same inputs give the same bits."""
    if config.threads:
        torch.set_num_threads(config.threads)
    torch.use_deterministic_algorithms(world.device.type == "cpu")
    torch.manual_seed(config.seed)


def make_learner(folders: JobFolders, config: TrainerConfig, world: World) -> Learner:
    """The policy on its device, sharded if it has to be, with a new optimizer."""
    base = folders.optional_channel("base")
    model = load_model(folders.required_channel("policy"), base, config, world.device)
    policy = Policy(model, config.logits_chunk)
    half = config.precision == "bfloat16"
    sharded = not config.lora_rank and (world.size > 1 or world.device.type == "cuda")
    if sharded:
        shard_policy(policy, world, half)
    parameters = trainable_parameters(model)
    optimizer = make_optimizer(parameters, config)
    return Learner(policy, parameters, optimizer, config, world, half=half and not sharded)


def read_samples(folders: JobFolders, learner: Learner) -> Batch:
    """The batch, checked against the policy that it was sampled from."""
    settings = learner.policy.lm.config
    positions = settings.max_position_embeddings
    return read_batch(folders.required_channel("batch"), settings.vocab_size, positions)


def start(folders: JobFolders, learner: Learner, progress: Progress) -> Run:
    """A first start: take up the previous job's state, if the configuration wants it and there is one."""
    state = folders.optional_channel("state")
    if learner.config.optimizer_state == "carry" and state is not None:
        progress.emit("state", taken=take_up(state, learner), optimizerSteps=learner.optimizer_steps)
    return Run()


def train(
    folders: JobFolders,
    learner: Learner,
    data: TrainingSet,
    steps: Sequence[Sequence[int]],
    run: Run,
    stop: StopRequest,
    progress: Progress,
    watch: Stopwatch,
) -> bool:
    """All steps that are left; False when it gave up with the last good weights.

    :raises TrainingStopped: after a checkpoint
    """
    clock = CheckpointClock(learner.config)
    while run.next_step < len(steps):
        begun = time.monotonic()
        try:
            row = take_step(learner, data, steps[run.next_step], run.known, run.next_step, stop)
        except TrainingStopped:
            save_checkpoint(folders.checkpoints, learner, run)
            raise
        watch.step(time.monotonic() - begun, row["tokens"])
        run.rows.append(row)
        run.next_step += 1
        run.skipped_in_a_row = run.skipped_in_a_row + 1 if row["skipped"] else 0
        progress.emit("progress", phase="train", done=run.next_step, total=len(steps), loss=row["loss"])
        if row["skipped"] == "sampler-gap" or run.skipped_in_a_row >= learner.config.max_skipped_steps:
            return False
        left = run.next_step < len(steps)
        if left and (stop.requested or clock.due()):
            save_checkpoint(folders.checkpoints, learner, run)
        if left and stop.requested:
            raise TrainingStopped(f"SIGTERM: stopped after step {run.next_step} of {len(steps)}")
    return True


def write_outputs(folders: JobFolders, learner: Learner, batch: Batch, run: Run, done: bool) -> dict[str, Any]:
    """Metrics, probe, policy, next state and, last, `summary.json`; only then are the checkpoints of the way
    removed.
    """
    config, checkpoints = learner.config, folders.checkpoints
    source = folders.channel("policy")
    dtype = published_dtype(source)
    samples = {role: sum(s.role == role for s in batch.samples) for role in ROLES}
    result = summary(config.policy_version, run.rows, samples, done)
    weights = published_weights(learner.policy.lm, dtype)
    save_final(checkpoints / FINAL, learner, dtype)
    probe = probe_policy(learner, batch.samples)
    if learner.world.leads:
        write_policy(source, folders.model, weights, config, result, learner.policy.lm)
        write_lines(checkpoints / "metrics.jsonl", [batch_row(batch), *run.rows])
        write_text(checkpoints / "probe.json", canonical_json(probe) + "\n")
        write_text(checkpoints / "summary.json", canonical_json(result) + "\n")
        remove_checkpoints(checkpoints)
    return result


def batch_row(batch: Batch) -> dict[str, Any]:
    """First line of metrics.jsonl: what was read and what was left out, by reason."""
    return {"event": "batch", "samples": len(batch.samples), "dropped": batch.dropped}


def write_timings(folders: JobFolders, learner: Learner, batch: Batch, watch: Stopwatch) -> None:
    """`timings.json`, the only output that differs between two runs of one job."""
    parameters = sum(p.numel() for p in learner.policy.parameters())
    lengths = [s.length for s in batch.samples]
    flops = training_flops_per_token(parameters, learner.policy.lm.config, lengths)
    report = watch.report(flops, learner.world.device, learner.world.size)
    if learner.world.leads:
        write_text(folders.checkpoints / "timings.json", canonical_json(report) + "\n")
