"""Several model threads, each with a batch of its own, and the choice between them.

Why not one thread whose tensor operations use all cores: the products of a small model are too short to be worth
splitting, every operation would wait for its slowest part, and on a laptop whose cores also run the environments some
part is always late. Threads with batches of their own never wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .errors import Overloaded
from .jobs import Job
from .settings import Settings
from .worker import Counters, Worker

_COMPLETION_COST = 16
"""What a completion in hand costs a worker, in prompt tokens to be read: a weight for balancing, not a measurement."""


class Scheduler:
    """The workers of a server. `submit` is called from one thread only."""

    def __init__(self, settings: Settings, deliver: Callable[[Sequence[Job]], None]) -> None:
        """`deliver` is called from the model threads with jobs that are complete, cancelled or failed."""
        count = settings.threads
        rows = -(-settings.max_batch // count)
        cache = settings.cache_mb * 1024 * 1024 // count
        self._max_waiting = settings.max_waiting
        self._workers = [Worker(f"model-{index}", rows, cache, deliver) for index in range(count)]

    def start(self) -> None:
        """Start the model threads."""
        for worker in self._workers:
            worker.start()

    def submit(self, job: Job) -> None:
        """Give a job to the worker that has least to do, counting what it need not read again.

        Raises:
            Overloaded: the queue has no room for it.

        """
        waiting = self.waiting()
        if waiting and waiting + job.choices > self._max_waiting:
            raise Overloaded(waiting)
        min(self._workers, key=lambda worker: _cost(worker, job)).submit(job)

    def waiting(self) -> int:
        """Completions that wait for a row."""
        return sum(worker.waiting() for worker in self._workers)

    def running(self) -> int:
        """Completions that have a row."""
        return sum(worker.running() for worker in self._workers)

    def policies(self) -> set[str]:
        """Ids of the policies that hold a cache in some worker."""
        return {name for worker in self._workers for name in worker.policies()}

    def counters(self) -> Counters:
        """Totals of all workers."""
        each = [worker.counters for worker in self._workers]
        return Counters(
            requests=sum(c.requests for c in each),
            prompt_tokens=sum(c.prompt_tokens for c in each),
            cached_prompt_tokens=sum(c.cached_prompt_tokens for c in each),
            completion_tokens=sum(c.completion_tokens for c in each),
            busy_seconds=sum(c.busy_seconds for c in each),
        )

    def stop(self, timeout: float) -> None:
        """End the model threads after their current steps."""
        for worker in self._workers:
            worker.stop(timeout)


def _cost(worker: Worker, job: Job) -> int:
    return _COMPLETION_COST * (worker.waiting() + worker.running()) - worker.known(job)
