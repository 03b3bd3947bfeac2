"""Starts the emulator: `python -m spade_emulator` (see the package's documentation for its environment)."""

from ministack import app

from . import cloudformation, function_errors, leading_keys, sagemaker, tasks

cloudformation.install()
function_errors.install()
leading_keys.install()
sagemaker.install()
tasks.install()
app.main()
