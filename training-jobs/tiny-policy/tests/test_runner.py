"""Programs that misbehave cost their own episode and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from tiny_policy.demonstrations import design
from tiny_policy.families import FAMILIES
from tiny_policy.families.base import LEVELS, Family
from tiny_policy.runner import Runner
from tiny_policy.validity import defect

GOOD = design(FAMILIES[0], 2, Random(1)).source


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with Runner() as child:
        yield child


def env(
    reset: str = 'return f"go {seed}", {}', step: str = 'return "x", 0.0, True, False, {}', solution: str = 'return "3"'
) -> str:
    return (
        "class OneEnv:\n"
        f"    def reset(self, seed=None):\n        {reset}\n"
        f"    def step(self, action):\n        {step}\n"
        f"    def solution(self):\n        {solution}\n"
    )


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_recipe_s_own_programs_are_valid(runner: Runner, family: Family) -> None:
    for level in LEVELS:
        assert defect(runner, design(family, level, Random(f"valid:{level}")).source) is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("not python", "load"),
        ("x = 1", "load"),
        (env(reset='return "", {}'), "load"),
        (env(reset='return "a"'), "load"),
        (env(reset="import random; return str(random.random()), {}"), "nondeterministic"),
        (env(reset='return "go", {}'), "seed.ignored"),
        (env(), "degenerate.unwinnable"),
        (env(step='return "x", float("nan"), True, False, {}'), "degenerate.unwinnable"),
        (env(step='return "x", 1.0, True, False, {}'), "degenerate.always_win"),
        (env(step='return "x", float(int(action[7:-1]) == 3), True, False, {}'), "env.exception"),
    ],
)
def test_defects_are_named(runner: Runner, source: str, expected: str) -> None:
    assert defect(runner, source) == expected


@pytest.mark.parametrize(
    "step", ["while True: pass", "raise SystemExit(0)", "import os; os._exit(0)", "return [0] * 10**10"]
)
def test_a_program_that_hangs_or_ends_its_process_fails_alone(runner: Runner, step: str) -> None:
    started = runner.reset(env(step=step), 1)
    assert started is not None
    assert runner.step(started[0], "x") is None
    assert defect(runner, GOOD) is None
