"""Starts the emulator: `python -m spade_emulator` (see the package's documentation for its environment)."""

from ministack import app

from . import cloudformation, function_errors, sagemaker, tasks

cloudformation.install()
function_errors.install()
sagemaker.install()
tasks.install()
app.main()
