"""The running completions of one policy version: prefill, decode, and the removal of finished rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from .arena import Arena
from .jobs import Completion
from .model import Model, Span
from .sampling import choose, rounded, uniform

PREFILL_TOKENS = 2048
"""New tokens of one forward pass, at most (a longer prompt goes alone): products of this height run from cache."""


class Batch:
    """Rows 0..n-1 of an arena and the completions in them. Used by the model thread only.

    It holds the model and not the policy, so that the scheduler can keep batches by weak reference to policies.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._arena = Arena(model.config, model.dtype)
        self._running: list[Completion] = []

    def __len__(self) -> int:
        return len(self._running)

    def admit(self, arrivals: Sequence[Completion]) -> list[Completion]:
        """Read the prompts of new completions and sample their first tokens; gives back those that ended at once."""
        finished: list[Completion] = []
        for group in prefill_groups(arrivals):
            first = len(self._running)
            lengths = [len(c.prompt) for c in group]
            tokens = [token for c in group for token in c.prompt]
            self._running += group
            finished += self._advance(Span(first, [0] * len(group), lengths, tokens), group)
        return finished

    def step(self) -> list[Completion]:
        """One token more for every running completion; gives back those that ended with it."""
        running = list(self._running)
        starts = [c.length - 1 for c in running]
        return self._advance(Span(0, starts, [1] * len(running), [c.tokens[-1] for c in running]), running)

    def drop_cancelled(self) -> list[Completion]:
        """Remove the completions whose job nobody waits for any more."""
        return self._remove([c for c in self._running if c.job.cancelled])

    def clear(self) -> list[Completion]:
        """Remove everything, after a failure."""
        removed, self._running = self._running, []
        return removed

    def _advance(self, span: Span, completions: Sequence[Completion]) -> list[Completion]:
        logits = self._model.forward(self._arena, span)
        uniforms = [uniform(c.key, len(c.tokens)) for c in completions]
        tokens, logprobs = choose(logits, [c.job.params for c in completions], uniforms)
        for completion, token, logprob in zip(completions, tokens, logprobs, strict=True):
            completion.append(token, logprob)
        return self._remove([c for c in completions if c.finish_reason is not None])

    def _remove(self, gone: Sequence[Completion]) -> list[Completion]:
        """Take completions out; the last rows move into the holes, so that the used rows stay the first ones."""
        for completion in gone:
            hole = self._running.index(completion)
            last = self._running.pop()
            if last is not completion:
                self._arena.move(len(self._running), hole, last.length)
                self._running[hole] = last
        return list(gone)


def prefill_groups(arrivals: Sequence[Completion]) -> Iterator[list[Completion]]:
    """Cut arrivals into groups of at most `PREFILL_TOKENS` tokens, like lengths together, so attention pads little."""
    group: list[Completion] = []
    total = 0
    for completion in sorted(arrivals, key=lambda c: len(c.prompt)):
        if group and total + len(completion.prompt) > PREFILL_TOKENS:
            yield group
            group, total = [], 0
        group.append(completion)
        total += len(completion.prompt)
    if group:
        yield group


def score_prompt(model: Model, prompt: Sequence[int]) -> list[float | None]:
    """Log-probability (temperature 1) of every prompt token after those before it; the first has none."""
    logits = model.forward(
        Arena(model.config, model.dtype), Span(0, [0], [len(prompt)], list(prompt)), all_positions=True
    )
    logprobs = torch.log_softmax(logits[:-1].double(), dim=-1)
    chosen = logprobs.gather(1, torch.tensor(prompt[1:], dtype=torch.long)[:, None]).squeeze(1)
    return [None, *(rounded(value) for value in chosen.tolist())]
