"""Exact checks of the values a program returns. No method of a foreign object is called here.

`isinstance` would accept a float that prints 0.0 and converts to 99.0, or a string that lies about its length; so every
check is `type(x) is …`. The supervisor repeats them on its side of the boundary.
"""

import math
from dataclasses import dataclass

from .faults import Fault

MAX_INFO_ENTRIES = 64
MAX_INFO_KEY = 64


@dataclass(frozen=True)
class Bounds:
    """Longest observation in UTF-8 bytes, largest magnitude of a reward."""

    observation_bytes: int
    reward_magnitude: float


# Types of numpy's scalars, filled when numpy is preloaded.
_coercible: list[type] = []


def coerce_scalars_of(numpy: object) -> None:
    """The rule for numpy, where programs may import it: rewards and flags may be its own scalars.

    Booleans, integers and floats of up to 64 bits count as what their `item()` gives, and are then judged like any
    other: a boolean is no reward, an integer no flag, NaN is not finite. Everything else of numpy's is refused: arrays
    of one element, longer floats, complex numbers, texts.
    """
    names = ("bool_", *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)))
    _coercible[:] = [getattr(numpy, name) for name in (*names, "float16", "float32", "float64")]


def _plain(value: object) -> object:
    """By identity: `in` would ask the value's type to compare itself, and that may be the program's."""
    kind = type(value)
    return value.item() if any(kind is one for one in _coercible) else value  # type: ignore[attr-defined]


def checked_observation(value: object, bounds: Bounds, *, may_be_empty: bool) -> str:
    """A text with something in it that can be sent. Faults: obs.type, obs.empty, obs.encoding, obs.too_large."""
    if type(value) is not str:
        raise Fault("obs.type", f"the observation is {_type_name(value)}, not str")
    if len(value) > bounds.observation_bytes:
        raise Fault("obs.too_large", f"the observation has {len(value)} characters")
    if not may_be_empty and not value.strip():
        raise Fault("obs.empty", "the observation is empty")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise Fault("obs.encoding", "the observation holds a lone surrogate") from None
    if size > bounds.observation_bytes:
        raise Fault("obs.too_large", f"the observation has {size} bytes")
    return value


def checked_reward(value: object, bounds: Bounds) -> float:
    """A finite number in range, exactly an int or a float. Faults: reward.type, reward.not_finite, reward.range."""
    value = _plain(value)
    if type(value) is int:
        if not -bounds.reward_magnitude <= value <= bounds.reward_magnitude:
            raise Fault("reward.range", f"the reward is beyond ±{bounds.reward_magnitude:g}")
        return float(value)
    if type(value) is not float:
        raise Fault("reward.type", f"the reward is {_type_name(value)}, not float")
    if not math.isfinite(value):
        raise Fault("reward.not_finite", f"the reward is {value}")
    if abs(value) > bounds.reward_magnitude:
        raise Fault("reward.range", f"the reward is beyond ±{bounds.reward_magnitude:g}")
    return value


def checked_flag(value: object, name: str) -> bool:
    """Exactly a bool. Fault: flag.type."""
    value = _plain(value)
    if type(value) is not bool:
        raise Fault("flag.type", f"{name} is {_type_name(value)}, not bool")
    return value


def count_dropped(info: object) -> int:
    """How many entries of `info` are not finite numbers under short text keys. Fault: info.type when it is no dict."""
    if type(info) is not dict:
        raise Fault("info.type", f"info is {_type_name(info)}, not dict")
    if not info:
        return 0
    kept = 0
    for key, value in list(dict.items(info))[:MAX_INFO_ENTRIES]:
        short = type(key) is str and len(key) <= MAX_INFO_KEY
        number = type(value) in (int, bool) or (type(value) is float and math.isfinite(value))
        kept += short and number
    return dict.__len__(info) - kept


def unpacked_step(result: object) -> tuple[object, object, object, object, object]:
    """The five parts of a step. Fault: contract.step_shape unless it is exactly a tuple of five."""
    if type(result) is not tuple or len(result) != 5:
        size = f" of {len(result)}" if type(result) in (tuple, list) else ""  # type: ignore[arg-type]
        raise Fault("contract.step_shape", f"step returned {_type_name(result)}{size}, not a tuple of 5")
    return result


def unpacked_reset(result: object) -> object:
    """The observation that `reset` returned, alone or with `info`. Fault: contract.reset_shape."""
    if type(result) is str:
        return result
    if type(result) is tuple and len(result) == 2:
        count_dropped(result[1])
        return result[0]
    if type(result) is tuple:
        raise Fault("contract.reset_shape", f"reset returned a tuple of {len(result)}, not (str, dict)")
    raise Fault("obs.type", f"reset returned {_type_name(result)}, not (str, dict)")


def _type_name(value: object) -> str:
    return str(type.__dict__["__name__"].__get__(type(value)))[:60]
