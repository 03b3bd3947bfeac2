"""One token a row: temperature, top-k, top-p, inverse-CDF choice with counter-based random numbers.

The reported log-probability of a token is the one under the distribution after temperature and before truncation;
greedy rows (temperature 0) report the untempered one. All of it is float64 whatever the model computes in: the cost is
small, and the running sum over a vocabulary needs the digits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

LOGPROB_DIGITS = 5
"""Reported log-probabilities are rounded to this many decimals: far coarser than the float64 differences between two
batch compositions (about 1e-14), and as fine as a trainer in float32 can tell."""

_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class SamplingParams:
    """How to choose tokens. `temperature` ≥ 0, 0 is greedy; `top_p` in (0, 1]; `top_k` ≥ 1, or 0 for no limit."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0

    @property
    def truncates(self) -> bool:
        """Whether some tokens of the vocabulary may be excluded."""
        return self.temperature > 0 and (self.top_p < 1.0 or self.top_k > 0)


def choice_key(seed: int, choice: int) -> int:
    """The 64-bit key of choice number `choice` of a request with this seed: SHA-256 of both, so keys are unrelated."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{choice}".encode()).digest()[:8], "big")


def uniform(key: int, position: int) -> float:
    """The uniform number in [0, 1) for the token at `position` ≥ 0 of a completion: SplitMix64 at counter `position`.

    A function of its arguments alone: it does not matter what else was drawn before, or in which batch.
    Source: Steele, Lea, Flood, OOPSLA 2014 (the finaliser); 53 bits are kept.
    """
    z = (key + (position + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return float((z ^ (z >> 31)) >> 11) * 2.0**-53


@torch.inference_mode()
def choose(
    logits: Tensor, params: Sequence[SamplingParams], uniforms: Sequence[float]
) -> tuple[list[int], list[float]]:
    """Choose the next token of every row.

    Args:
        logits: (R, vocab), finite.
        params: one per row.
        uniforms: one per row, in [0, 1); greedy rows ignore theirs.

    Returns:
        R token ids and their R log-probabilities (≤ 0, rounded to `LOGPROB_DIGITS`).

    """
    temperatures = torch.tensor([p.temperature or 1.0 for p in params], dtype=torch.float64)
    probabilities = torch.softmax(logits.double() / temperatures[:, None], dim=-1)
    cumulative = _allowed(probabilities, params).cumsum(dim=-1)
    total = cumulative[:, -1:]
    targets = torch.tensor(uniforms, dtype=torch.float64)[:, None] * total
    # Below the total even where the product is rounded up to it: then some token lies beyond.
    targets = torch.minimum(targets, torch.nextafter(total, torch.zeros_like(total)))
    tokens = torch.searchsorted(cumulative, targets, right=True).squeeze(1)
    greedy = [row for row, p in enumerate(params) if p.temperature == 0]
    if greedy:
        tokens[greedy] = logits[greedy].argmax(dim=-1)
    chosen = probabilities.gather(1, tokens[:, None]).squeeze(1).log().tolist()
    return tokens.tolist(), [rounded(value) for value in chosen]


def rounded(logprob: float) -> float:
    """A log-probability as it is reported; never -0.0, which would print differently from 0.0."""
    return round(logprob, LOGPROB_DIGITS) + 0.0


def _allowed(probabilities: Tensor, params: Sequence[SamplingParams]) -> Tensor:
    """(R, vocab) probabilities with the excluded tokens at exactly 0; rows need not sum to 1."""
    rows = [row for row, p in enumerate(params) if p.truncates]
    if not rows:
        return probabilities
    allowed = probabilities.clone()
    allowed[rows] = _truncate(probabilities[rows], [params[row] for row in rows])
    return allowed


def _truncate(probabilities: Tensor, params: Sequence[SamplingParams]) -> Tensor:
    """Keep the `top_k` likeliest tokens, and of those the fewest whose share reaches `top_p`; at least one stays."""
    ordered, order = probabilities.sort(dim=-1, descending=True, stable=True)
    vocabulary = probabilities.shape[-1]
    top_k = torch.tensor([min(p.top_k or vocabulary, vocabulary) for p in params])[:, None]
    ordered = ordered.masked_fill(torch.arange(vocabulary) >= top_k, 0.0)
    before = ordered.cumsum(dim=-1) - ordered
    top_p = torch.tensor([p.top_p for p in params], dtype=torch.float64)[:, None]
    excluded = before >= top_p * ordered.sum(dim=-1, keepdim=True)
    excluded[:, 0] = False
    return torch.zeros_like(probabilities).scatter_(1, order, ordered.masked_fill(excluded, 0.0))
