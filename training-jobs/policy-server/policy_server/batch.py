"""The running completions of one policy version: prefill, decode, and the removal of finished rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from .arena import Arena
from .jobs import Completion
from .model import Model, Span
from .prefix import BLOCK, PrefixCache
from .sampling import choose, rounded, uniform

PREFILL_TOKENS = 2048
"""New tokens of one forward pass, at most (a longer prompt goes alone): products of this height run from cache."""


class Batch:
    """Rows 0..n-1 of an arena, the completions in them, and the cache of beginnings. Used by the model thread only."""

    def __init__(self, model: Model, cache_bytes: int) -> None:
        self._model = model
        self._arena = Arena(model.config, model.dtype)
        self._prefixes = PrefixCache(model.config, model.dtype, cache_bytes)
        self._running: list[Completion] = []

    def __len__(self) -> int:
        return len(self._running)

    def known(self, prompt: Sequence[int]) -> int:
        """Tokens of a prompt that need not be read again; any thread."""
        return BLOCK * self._prefixes.known(prompt)

    def admit(self, arrivals: Sequence[Completion]) -> list[Completion]:
        """Read the prompts of new completions and sample their first tokens; gives back those that ended at once."""
        finished: list[Completion] = []
        for wave in leaders_first(arrivals, self._prefixes):
            for group in prefill_groups(wave, self._prefixes):
                finished += self._read(group)
        return finished

    def _read(self, group: Sequence[Completion]) -> list[Completion]:
        first = len(self._running)
        matches = [self._prefixes.match(c.prompt) for c in group]
        starts = [BLOCK * len(match) for match in matches]
        rest = [c.prompt[start:] for c, start in zip(group, starts, strict=True)]
        self._arena.reserve(first + len(group), max(len(c.prompt) for c in group))
        self._prefixes.load(self._arena, first, matches)
        for completion, start in zip(group, starts, strict=True):
            completion.job.cached_tokens += start
        self._running += group
        span = Span(first, starts, [len(tokens) for tokens in rest], [token for tokens in rest for token in tokens])
        logits = self._model.forward(self._arena, span)
        self._prefixes.store(self._arena, range(first, first + len(group)), [c.prompt for c in group])
        return self._extend(group, logits)

    def step(self) -> list[Completion]:
        """One token more for every running completion; gives back those that ended with it."""
        running = list(self._running)
        starts = [c.length - 1 for c in running]
        span = Span(0, starts, [1] * len(running), [c.tokens[-1] for c in running])
        return self._extend(running, self._model.forward(self._arena, span))

    def drop_cancelled(self) -> list[Completion]:
        """Remove the completions whose job nobody waits for any more."""
        return self._remove([c for c in self._running if c.job.cancelled])

    def clear(self) -> list[Completion]:
        """Remove everything, after a failure."""
        removed, self._running = self._running, []
        return removed

    def _extend(self, completions: Sequence[Completion], logits: Tensor) -> list[Completion]:
        uniforms = [uniform(c.key, len(c.tokens)) for c in completions]
        tokens, logprobs = choose(logits, [c.job.params for c in completions], uniforms)
        for completion, token, logprob in zip(completions, tokens, logprobs, strict=True):
            completion.append(token, logprob)
        ended = [c for c in completions if c.finish_reason is not None]
        # The last token was sampled and never read: its keys and values do not exist.
        rows = [self._running.index(c) for c in ended]
        self._prefixes.store(self._arena, rows, [[*c.prompt, *c.tokens[:-1]] for c in ended])
        return self._remove(ended)

    def _remove(self, gone: Sequence[Completion]) -> list[Completion]:
        """Take completions out; the last rows move into the holes, so that the used rows stay the first ones."""
        for completion in gone:
            hole = self._running.index(completion)
            last = self._running.pop()
            if last is not completion:
                self._arena.move(len(self._running), hole, last.length)
                self._running[hole] = last
        return list(gone)


def leaders_first(arrivals: Sequence[Completion], prefixes: PrefixCache) -> Iterator[list[Completion]]:
    """Two waves: first one completion for every beginning that is not known yet, then those that share it.

    Choices of one request, and the two arms of one episode, begin alike; the second wave finds what the first has read.
    """
    leaders: list[Completion] = []
    followers: list[Completion] = []
    seen: set[tuple[int, ...]] = set()
    for completion in arrivals:
        start = BLOCK * len(prefixes.match(completion.prompt))
        beginning = tuple(completion.prompt[: start + BLOCK])
        (followers if beginning in seen else leaders).append(completion)
        seen.add(beginning)
    yield from (wave for wave in (leaders, followers) if wave)


def prefill_groups(arrivals: Sequence[Completion], prefixes: PrefixCache) -> Iterator[list[Completion]]:
    """Cut arrivals into groups of at most `PREFILL_TOKENS` new tokens, like lengths together: attention pads little."""
    group: list[Completion] = []
    total = 0
    counted = [(len(c.prompt) - BLOCK * len(prefixes.match(c.prompt)), c) for c in arrivals]
    for count, completion in sorted(counted, key=lambda pair: pair[0]):
        if group and total + count > PREFILL_TOKENS:
            yield group
            group, total = [], 0
        group.append(completion)
        total += count
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
