"""A request on its way through the scheduler: one job with one or more completions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .policy import Policy
from .sampling import SamplingParams, choice_key

FinishReason = Literal["stop", "length"]


@dataclass(eq=False)
class Completion:
    """One choice of a job while it is written. `tokens` and `logprobs` have equal lengths at any time."""

    job: Job
    prompt: list[int]
    key: int
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    text: str = ""
    finish_reason: FinishReason | None = None

    @property
    def length(self) -> int:
        """Tokens of prompt and completion together."""
        return len(self.prompt) + len(self.tokens)

    def append(self, token: int, logprob: float) -> None:
        """Take the next sampled token and decide whether the completion ends with it."""
        self.tokens.append(token)
        self.logprobs.append(logprob)
        job = self.job
        if token in job.policy.codec.end_ids:
            self.finish_reason = "stop"
        elif job.stop and self._stopped():
            return
        elif len(self.tokens) >= job.max_tokens:
            self.finish_reason = "length"
        if self.finish_reason is not None:
            self.text = self._decoded()

    def _decoded(self) -> str:
        ends = self.job.policy.codec.end_ids
        body = self.tokens[:-1] if self.tokens[-1] in ends else self.tokens
        return self.job.policy.codec.decode(body)

    def _stopped(self) -> bool:
        """Look for a stop string; the text ends before the first one, the tokens stay."""
        text = self._decoded()
        found = [place for place in (text.find(stop) for stop in self.job.stop) if place >= 0]
        if not found:
            return False
        self.finish_reason, self.text = "stop", text[: min(found)]
        return True


@dataclass(eq=False)
class Job:
    """All choices of one request. Made by the HTTP side, written by the model thread, read back when it
    is delivered: once, when every completion has ended or the job has failed.
    """

    policy: Policy
    prompt: list[int]
    params: SamplingParams
    max_tokens: int
    stop: tuple[str, ...]
    seed: int
    choices: int
    wants_prompt_logprobs: bool = False
    prompt_logprobs: list[float | None] | None = None
    cached_tokens: int = 0
    """Prompt tokens, over all choices, whose keys and values were known already."""
    cancelled: bool = False
    error: Exception | None = None
    completions: list[Completion] = field(default_factory=list)
    _open: int = 0

    def __post_init__(self) -> None:
        self.completions = [Completion(self, self.prompt, choice_key(self.seed, i)) for i in range(self.choices)]
        self._open = self.choices

    def close_one(self) -> bool:
        """Note that one completion has ended; True if it was the last."""
        self._open -= 1
        return self._open == 0
