import math
from typing import Any

import pytest

from spade_sandbox.faults import Fault
from spade_sandbox.solutions import checked_solution
from spade_sandbox.values import (
    Bounds,
    checked_flag,
    checked_observation,
    checked_reward,
    count_dropped,
    unpacked_reset,
    unpacked_step,
)

BOUNDS = Bounds(observation_bytes=10, reward_magnitude=100.0)


class LyingText(str):
    def __len__(self) -> int:
        return 1


class LyingNumber(float):
    def __float__(self) -> float:
        return 99.0


class Trap(tuple):  # type: ignore[type-arg]
    def __len__(self) -> int:
        raise AssertionError("a method of a foreign object was called")

    __iter__ = __len__  # type: ignore[assignment]


def reason(check: Any, *arguments: Any, **options: Any) -> str | None:
    try:
        check(*arguments, **options)
    except Fault as fault:
        return fault.reason
    return None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("ok", None),
        ("é" * 5, None),
        ("é" * 6, "obs.too_large"),
        ("x" * 11, "obs.too_large"),
        ("", "obs.empty"),
        (" \n", "obs.empty"),
        ("\ud800", "obs.encoding"),
        (b"x", "obs.type"),
        (None, "obs.type"),
        (LyingText("x"), "obs.type"),
    ],
)
def test_observations(value: object, expected: str | None) -> None:
    assert reason(checked_observation, value, BOUNDS, may_be_empty=False) == expected


def test_the_last_observation_may_be_empty() -> None:
    assert checked_observation("", BOUNDS, may_be_empty=True) == ""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, None),
        (-0.5, None),
        (100, None),
        (101, "reward.range"),
        (10**400, "reward.range"),
        (1e308, "reward.range"),
        (math.nan, "reward.not_finite"),
        (-math.inf, "reward.not_finite"),
        (True, "reward.type"),
        ("1", "reward.type"),
        (None, "reward.type"),
        (LyingNumber(0.0), "reward.type"),
    ],
)
def test_rewards(value: object, expected: str | None) -> None:
    assert reason(checked_reward, value, BOUNDS) == expected


@pytest.mark.parametrize("value", [1, 0, "False", None, 1.0])
def test_only_a_bool_is_a_flag(value: object) -> None:
    assert reason(checked_flag, value, "terminated") == "flag.type"


def test_a_step_is_exactly_a_tuple_of_five() -> None:
    good = ("x", 0.0, False, False, {})
    assert unpacked_step(good) == good
    for bad in (good[:4], (*good, 1), list(good), None, {"x": 1}, Trap(good)):
        assert reason(unpacked_step, bad) == "contract.step_shape"


def test_a_reset_is_a_text_or_a_text_with_info() -> None:
    assert unpacked_reset("x") == "x"
    assert unpacked_reset(("x", {})) == "x"
    assert reason(unpacked_reset, ("x", {}, 1)) == "contract.reset_shape"
    assert reason(unpacked_reset, ("x", [])) == "info.type"
    assert reason(unpacked_reset, 7) == "obs.type"


def test_info_keeps_finite_numbers_under_short_names_and_counts_the_rest() -> None:
    cyclic: dict[Any, Any] = {"good": 1, "also": 0.5, "nan": math.nan, "text": "x", 3: 4}
    cyclic["self"] = cyclic
    assert count_dropped(cyclic) == 4
    assert count_dropped({}) == 0
    assert reason(count_dropped, None) == "info.type"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("left ; right", {"text": "left ; right", "actions": None}),
        (["a", "b"], {"text": "a\nb", "actions": ["a", "b"]}),
        (("a",), {"text": "a", "actions": ["a"]}),
        (42, {"text": "42", "actions": None}),
        (None, None),
    ],
)
def test_solutions_are_texts_or_sequences(value: object, expected: object) -> None:
    assert checked_solution(value) == expected


@pytest.mark.parametrize("value", [{"a": 1}, [object()], b"x", "\ud800", "x" * 300_000, ["x"] * 5000])
def test_other_solutions_are_refused(value: object) -> None:
    assert reason(checked_solution, value) == "solution.type"
