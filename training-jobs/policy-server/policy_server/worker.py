"""A model thread: the queue in front of it, and who runs next."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch

from .batch import Batch, score_prompt
from .jobs import Completion, Job
from .policy import Policy


@dataclass
class Counters:
    """Totals since the start. Written by one model thread, read by anyone."""

    requests: int = 0
    prompt_tokens: int = 0
    cached_prompt_tokens: int = 0
    completion_tokens: int = 0
    busy_seconds: float = 0.0


class Worker:
    """A queue of completions and the batches that serve them, first come first served within a policy.

    A waiting completion joins a running batch as soon as rows are free, but not one by one: reading a single prompt
    costs nearly as much as reading ten, so arrivals are let in when `quantum` of them can come together, or when they
    have waited for `patience` decode steps, or when nothing is running.
    """

    quantum = 16
    patience = 4

    def __init__(self, name: str, max_batch: int, cache_bytes: int, deliver: Callable[[Sequence[Job]], None]) -> None:
        """`deliver` is called from the model thread with jobs that are complete, cancelled or failed."""
        self._max_batch = max_batch
        self._cache_bytes = cache_bytes
        self._deliver = deliver
        self._condition = threading.Condition()
        self._arrived: list[Completion] = []
        self._waiting: dict[Policy, deque[Completion]] = {}
        self._patience: dict[Policy, int] = {}
        self._batches: dict[Policy, Batch] = {}
        self._submitted = 0
        self._admitted = 0
        self._stopping = False
        self.counters = Counters()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Put a job into the queue; from one thread only."""
        with self._condition:
            self._submitted += job.choices
            self._arrived += job.completions
            self._condition.notify()

    def waiting(self) -> int:
        """Completions that wait for a row."""
        return self._submitted - self._admitted

    def running(self) -> int:
        """Completions that have a row."""
        return sum(len(batch) for batch in tuple(self._batches.values()))

    def policies(self) -> list[str]:
        """Ids of the policies that hold a cache here."""
        return [policy.id for policy in tuple(self._batches)]

    def known(self, job: Job) -> int:
        """Tokens of a job's prompt that need not be read again here; any thread."""
        batch = self._batches.get(job.policy)
        return batch.known(job.prompt) if batch is not None else 0

    def stop(self, timeout: float) -> None:
        """End the thread after the current step, whatever is still unfinished."""
        with self._condition:
            self._stopping = True
            self._condition.notify()
        self._thread.join(timeout)

    def _work(self) -> None:
        torch.set_num_threads(1)  # of this thread: the workers are the parallelism
        while self._take_arrivals():
            started = time.perf_counter()
            for policy in self._busy_policies():
                self._serve(policy)
            self._release_idle()
            self.counters.busy_seconds += time.perf_counter() - started

    def _take_arrivals(self) -> bool:
        """Move arrivals to their policies' queues, sleeping while there is nothing to do; False when stopping."""
        with self._condition:
            while not (self._arrived or self._stopping or self._waiting or self.running()):
                self._condition.wait()
            arrived, self._arrived = self._arrived, []
        for completion in arrived:
            self._waiting.setdefault(completion.job.policy, deque()).append(completion)
        return not self._stopping

    def _release_idle(self) -> None:
        """Free the caches of policies that have nothing to do while another one is served: versions come and go."""
        idle = [policy for policy, batch in self._batches.items() if not len(batch) and policy not in self._waiting]
        for policy in idle[: len(self._batches) - 1]:
            del self._batches[policy]

    def _busy_policies(self) -> list[Policy]:
        running = [policy for policy, batch in self._batches.items() if len(batch)]
        return running + [policy for policy in self._waiting if policy not in running]

    def _serve(self, policy: Policy) -> None:
        """Let arrivals in, then one decode step. A failure ends the jobs it struck and nothing else."""
        batch = self._batches.get(policy)
        if batch is None:
            batch = self._batches[policy] = Batch(policy.model, self._cache_bytes)
        ended = batch.drop_cancelled()
        entering = self._entering(policy, batch)
        try:
            self._score(entering)
            ended += batch.admit(entering)
            if len(batch):
                ended += batch.step()
        except Exception as error:  # the model thread must survive whatever torch raises
            ended = list(dict.fromkeys([*ended, *entering, *batch.clear()]))
            for completion in ended:
                completion.job.error = error
        self._close(ended)

    def _entering(self, policy: Policy, batch: Batch) -> list[Completion]:
        """Take from the queue what joins the batch now."""
        queue = self._waiting.get(policy)
        if not queue:
            return []
        room = min(len(queue), self._max_batch - len(batch))
        if room == 0:
            return []
        late = self._patience[policy] = self._patience.get(policy, 0) + 1
        if len(batch) and room < self.quantum and late < self.patience:
            return []
        self._patience.pop(policy)
        taken = [queue.popleft() for _ in range(room)]
        if not queue:
            del self._waiting[policy]
        self._admitted += len(taken)
        entering = [c for c in taken if not c.job.cancelled]
        self._close([c for c in taken if c.job.cancelled])
        return entering

    def _score(self, entering: Iterable[Completion]) -> None:
        for completion in entering:
            job = completion.job
            if job.wants_prompt_logprobs and job.prompt_logprobs is None:
                job.prompt_logprobs = score_prompt(job.policy.model, job.prompt)

    def _close(self, ended: Iterable[Completion]) -> None:
        """Count what ended and hand over the jobs that are whole."""
        whole: list[Job] = []
        for completion in ended:
            self.counters.completion_tokens += len(completion.tokens)
            if completion.job.close_one():
                whole.append(completion.job)
        self.counters.requests += len(whole)
        self.counters.prompt_tokens += sum(len(job.prompt) for job in whole)
        self.counters.cached_prompt_tokens += sum(job.cached_tokens for job in whole)
        if whole:
            self._deliver(whole)
