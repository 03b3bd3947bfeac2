"""Two processes against one: the same job must end at the same weights up to the order of additions."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from grpo_testing.factory import make_job, make_rows
from safetensors.torch import load_file

ROOM = Path(__file__).parents[1]
Train = Callable[..., Path]


def run_on_two(root: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOM), "OMP_NUM_THREADS": "1"}
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    subprocess.run([*launcher, "-m", "grpo", "--root", str(root)], env=environment, check=True, timeout=900)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"lora_rank": 4}], ids=["full", "lora"])
def test_two_processes_end_where_one_does(trained: Train, tmp_path: Path, model: Any, settings: dict[str, Any]) -> None:
    rows = make_rows(model, 9)
    # A budget of 64 tokens: the ranks get different numbers of micro-batches, and one of them has to idle along.
    plan = {**settings, "steps_per_epoch": 2, "max_tokens_per_microbatch": 64}
    alone = trained(rows, **plan)
    together = make_job(tmp_path / "together", model, rows, **plan)
    run_on_two(together)
    name = "adapter_model.safetensors" if settings else "model.safetensors"
    one, two = (load_file(root / "model" / name) for root in (alone, together))
    assert one.keys() == two.keys()
    for key, tensor in one.items():
        torch.testing.assert_close(two[key], tensor, rtol=1e-3, atol=1e-4, msg=key)
    steps = [json.loads((r / "checkpoints" / "summary.json").read_text()) for r in (alone, together)]
    assert steps[1]["loss"] == pytest.approx(steps[0]["loss"], rel=1e-5)
    assert steps[1]["gradientNorm"] == pytest.approx(steps[0]["gradientNorm"], rel=1e-4)
