"""Another clock for validation: a program that reads the time plays differently under it, and is caught.

The real clocks cannot be changed per process without privileges, and reads go round the filter (vDSO), so this replaces
the module functions. It is a means of measuring honest mistakes, not a wall.
"""

import datetime
import time
from collections.abc import Callable

SHIFT_SECONDS = 40_000_000.0  # a year and a quarter: another year, month, weekday and hour


def shift_clock() -> None:
    """Moves every wall clock of this process forward by `SHIFT_SECONDS`, and the relative ones by a third of it."""
    shift_ns = int(SHIFT_SECONDS * 1e9)
    real = {name: getattr(time, name) for name in ("time", "time_ns", "localtime", "gmtime", "ctime", "strftime")}
    time.time = lambda: real["time"]() + SHIFT_SECONDS
    time.time_ns = lambda: real["time_ns"]() + shift_ns
    for name in ("localtime", "gmtime", "ctime"):
        setattr(time, name, lambda seconds=None, f=real[name]: f(time.time() if seconds is None else seconds))
    time.strftime = lambda form, t=None: real["strftime"](form, time.localtime() if t is None else t)
    for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, _later(getattr(time, name), SHIFT_SECONDS / 3))
        setattr(time, f"{name}_ns", _later(getattr(time, f"{name}_ns"), shift_ns // 3))
    _shift_datetime()


def _later(clock: Callable[[], float], shift: float) -> Callable[[], float]:
    return lambda: clock() + shift


def _shift_datetime() -> None:
    shift = datetime.timedelta(seconds=SHIFT_SECONDS)
    real_datetime, real_date = datetime.datetime, datetime.date

    def now(cls: type[datetime.datetime], tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return real_datetime.now(tz) + shift

    members = {
        "now": classmethod(now),
        "utcnow": classmethod(lambda cls: real_datetime.utcnow() + shift),
        "today": classmethod(lambda cls: real_datetime.today() + shift),
    }
    datetime.datetime = type("datetime", (real_datetime,), {**members, "__module__": "datetime"})  # type: ignore[misc,assignment]
    today = classmethod(lambda cls: real_date.today() + shift)
    datetime.date = type("date", (real_date,), {"today": today, "__module__": "datetime"})  # type: ignore[misc,assignment]
