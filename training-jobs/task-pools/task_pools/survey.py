"""Which datasets can be scored without their package, and why each of the others cannot.

A dataset is taken when its scorer is of a known kind *and* gives, over a battery of answers to many instances, exactly
the scores of the dataset's own `score_answer`. All others are refused with a reason; nothing is scored approximately.
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .program import Instance
from .scorers import SCORERS

CONTAINING = "containing"
# Datasets with a scorer of their own that is of a known kind; checked by the battery like all others.
KNOWN_KINDS: Mapping[str, str] = {
    "ab": "exact",
    "chain_sum": "decimal_text",
    "decimal_chain_sum": "decimal",
    "dice": "folded",
    "family_relationships": "trimmed",
    "needle_haystack": "unspaced",
    "number_format": "near",
    "path_star": "collapsed",
    "products": "decimal_text",
    "self_reference": "exact",
    "zebra_puzzles": "folded",
}
OWN_CHECKER = "its answers are checked by code of its own: several are right, or some earn a part"


class Dataset(Protocol):
    """What is used of a reasoning-gym dataset."""

    def __getitem__(self, index: int) -> dict[str, Any]:
        """`question`, `answer`, `metadata`."""

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """In [0, 1]."""


@dataclass(frozen=True)
class Finding:
    """What the survey says of a dataset: its kind of scorer, or why it is refused."""

    name: str
    scorer: str | None
    reason: str


def battery(answer: str, others: Sequence[str]) -> Iterator[str]:
    """Answers that tell scorers apart: the known one, dressed up, cut, and those of other instances."""
    yield from (answer, "", " ", f" {answer} ", f"{answer}\n", answer.upper(), answer.lower(), answer.title())
    yield from (f"The answer is {answer}", f"{answer}{answer}", answer[:-1], answer[1:], answer[::-1], f"{answer}.")
    yield from (answer.replace(" ", ""), answer.replace(" ", "  "), answer.replace("\n", " "), f"+{answer}")
    yield from (f"{answer}.0", f"{answer}.000", f"0{answer}", f"-{answer}", f"{answer}.004", f"{answer}.5", "0", "1")
    yield from ("nan", "inf", "true", "none", "[]", "{}", f"[{answer}]", f'"{answer}"', f"${answer}$", f"1,{answer}")
    yield from others


def answer_of(name: str, entry: dict[str, Any]) -> str | None:
    """The known answer as text; None when the dataset gives none."""
    answer = entry["metadata"].get("solution") if name == "number_format" else entry["answer"]
    return None if answer is None else str(answer)


def judge(name: str, dataset: Dataset, entries: Sequence[dict[str, Any]], *, own_scorer: bool) -> Finding:
    """Compares the scorer of the dataset's kind with its own over the battery."""
    scorer = KNOWN_KINDS.get(name) if own_scorer else CONTAINING
    if scorer is None:
        return Finding(name, None, OWN_CHECKER)
    answers = [answer_of(name, entry) for entry in entries]
    if any(answer is None or answer.strip() != answer or answer == "" for answer in answers):
        return Finding(name, None, "an answer is missing, empty or ends in blanks, which a boxed answer cannot")
    known = [str(answer) for answer in answers]
    for entry, answer in zip(entries, known, strict=True):
        for given in battery(answer, known[:8]):
            ours, theirs = SCORERS[scorer](given, answer), float(dataset.score_answer(given, entry))
            if abs(ours - theirs) > 1e-12:
                return Finding(name, None, f"{given[:40]!r} for {answer[:40]!r} earns {theirs:g} there, {ours:g} here")
    return Finding(name, scorer, "")


def instances_of(name: str, entries: Iterable[dict[str, Any]], seen: set[str]) -> list[Instance]:
    """The instances whose question was not seen before; `seen` grows."""
    instances = []
    for entry in entries:
        question, answer = str(entry["question"]), answer_of(name, entry)
        if answer is not None and question not in seen:
            seen.add(question)
            instances.append(Instance(question, answer))
    return instances


def derived_seed(seed: int, *label: str) -> int:
    """A dataset seed for a purpose: 31 bits."""
    return random.Random(f"{seed}/{'/'.join(label)}").randrange(2**31)
