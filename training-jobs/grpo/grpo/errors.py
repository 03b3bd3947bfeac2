"""Errors of the trainer, named by the boundary that was crossed.

`ContractError`: what the job was given (hyperparameters, channels, batch) cannot be trained on; a retry cannot help.
`TrainingStopped`: the platform asked the job to leave; the checkpoints hold everything needed to go on.
Everything else propagates with its own traceback and fails the job.
"""


class TrainerError(Exception):
    """Base of the trainer's own errors; `exit_code` is the exit status of the process."""

    exit_code = 1


class ContractError(TrainerError):
    """The input breaks the contract of `docs/trainer.md`. The message names file, line and field."""


class TrainingStopped(TrainerError):
    """SIGTERM was honoured: a spot reclaim, a stopped job, or a laptop run that was interrupted."""

    exit_code = 143
