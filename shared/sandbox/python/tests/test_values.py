import math
from collections.abc import Iterator
from typing import Any

import numpy
import pytest

from spade_sandbox.faults import Fault
from spade_sandbox.solutions import checked_solution
from spade_sandbox.values import (
    Bounds,
    _coercible,
    checked_flag,
    checked_observation,
    checked_reward,
    coerce_scalars_of,
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


class Unhashable(type):
    def __eq__(cls, other: object) -> bool:
        raise AssertionError("a method of a foreign type was called")

    def __hash__(cls) -> int:
        raise AssertionError("a method of a foreign type was called")


class Strange(metaclass=Unhashable):
    pass


@pytest.fixture
def numpy_scalars() -> Iterator[None]:
    coerce_scalars_of(numpy)
    yield
    _coercible.clear()


@pytest.mark.usefixtures("numpy_scalars")
class TestWithNumpy:
    @pytest.mark.parametrize("kind", ["int8", "int64", "uint16", "float16", "float32", "float64"])
    def test_its_numbers_are_rewards(self, kind: str) -> None:
        reward = checked_reward(getattr(numpy, kind)(2), BOUNDS)
        assert (type(reward), reward) == (float, 2.0)

    @pytest.mark.parametrize(
        ("value", "code"),
        [
            (numpy.float32("nan"), "reward.not_finite"),
            (numpy.float64("-inf"), "reward.not_finite"),
            (numpy.int64(101), "reward.range"),
            (numpy.bool_(True), "reward.type"),
            (numpy.array(1.0), "reward.type"),
            (numpy.array([1.0]), "reward.type"),
            (numpy.longdouble(1), "reward.type"),
            (numpy.complex64(1), "reward.type"),
            (numpy.str_("1"), "reward.type"),
            (numpy.datetime64(1, "s"), "reward.type"),
            (Strange(), "reward.type"),
        ],
    )
    def test_nothing_else_of_it_is(self, value: object, code: str) -> None:
        assert reason(checked_reward, value, BOUNDS) == code

    def test_its_booleans_are_flags_and_its_integers_are_not(self) -> None:
        assert checked_flag(numpy.bool_(True), "terminated") is True
        assert reason(checked_flag, numpy.int8(1), "terminated") == "flag.type"

    def test_its_texts_are_no_observations(self) -> None:
        assert reason(checked_observation, numpy.str_("x"), BOUNDS, may_be_empty=False) == "obs.type"


def test_without_numpy_its_scalars_are_like_any_foreign_type() -> None:
    assert reason(checked_reward, numpy.float32(1), BOUNDS) == "reward.type"
    assert reason(checked_reward, Strange(), BOUNDS) == "reward.type"
