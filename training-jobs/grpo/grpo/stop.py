"""SIGTERM: the platform wants the machine back. The current step is finished if there is time, else given up."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable


class StopRequest:
    """Remembers whether and when SIGTERM (or SIGINT) arrived, and how much of the grace is left."""

    def __init__(self, grace_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._grace = grace_seconds
        self._clock = clock
        self._since: float | None = None

    def install(self) -> None:
        """Take over the process's SIGTERM and SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.request())

    def request(self) -> None:
        """Note the wish; the first one starts the clock."""
        if self._since is None:
            self._since = self._clock()

    @property
    def requested(self) -> bool:
        """True once the wish was noted."""
        return self._since is not None

    def too_late_for(self, seconds: float) -> bool:
        """True when work of that length would end after the grace."""
        return self._since is not None and self._clock() - self._since + seconds > self._grace
