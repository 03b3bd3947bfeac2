"""Progress for whoever started the job: one JSON object a line on standard output. CloudWatch can read it by regex."""

from __future__ import annotations

import json
import sys
from typing import Any


class Progress:
    """Writes events if this process leads; a closed pipe is not the trainer's problem."""

    def __init__(self, speaks: bool = True) -> None:
        self._speaks = speaks

    def emit(self, event: str, **fields: Any) -> None:
        """One line, flushed at once."""
        if not self._speaks:
            return
        try:
            sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
            sys.stdout.flush()
        except BrokenPipeError:
            self._speaks = False
