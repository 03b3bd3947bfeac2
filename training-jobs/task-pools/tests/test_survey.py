from typing import Any

import pytest
from task_pools.scorers import SCORERS
from task_pools.survey import OWN_CHECKER, answer_of, derived_seed, instances_of, judge

ENTRIES: list[dict[str, Any]] = [
    {"question": f"what is {n} + {n}?", "answer": str(2 * n), "metadata": {}} for n in range(10, 22)
]


class Collection:
    """A dataset whose scorer is what a test says."""

    def __init__(self, scorer: Any) -> None:
        self._scorer = scorer

    def __getitem__(self, index: int) -> dict[str, Any]:
        return ENTRIES[index]

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        return float(self._scorer(answer or "", entry["answer"]))


def test_a_scorer_of_the_common_kind_is_taken_when_it_agrees() -> None:
    finding = judge("sums", Collection(SCORERS["containing"]), ENTRIES, own_scorer=False)
    assert (finding.scorer, finding.reason) == ("containing", "")


@pytest.mark.parametrize("odd", ["exact", "trimmed", "decimal", "near", "collapsed"])
def test_a_scorer_that_differs_anywhere_is_refused_and_says_where(odd: str) -> None:
    finding = judge("sums", Collection(SCORERS[odd]), ENTRIES, own_scorer=False)
    assert finding.scorer is None
    assert "there" in finding.reason


def test_a_checker_of_its_own_is_refused_unless_its_kind_is_known() -> None:
    assert judge("countdown", Collection(SCORERS["containing"]), ENTRIES, own_scorer=True).reason == OWN_CHECKER
    assert judge("dice", Collection(SCORERS["folded"]), ENTRIES, own_scorer=True).scorer == "folded"
    assert judge("dice", Collection(SCORERS["exact"]), ENTRIES, own_scorer=True).scorer is None


@pytest.mark.parametrize("answer", [None, "", " 3", "a\n"])
def test_answers_that_no_box_can_hold_are_refused(answer: str | None) -> None:
    finding = judge("sums", Collection(SCORERS["containing"]), [{**ENTRIES[0], "answer": answer}], own_scorer=False)
    assert finding.scorer is None


def test_an_answer_may_lie_in_the_metadata() -> None:
    assert answer_of("number_format", {"answer": None, "metadata": {"solution": 3.5}}) == "3.5"


def test_a_question_is_taken_once() -> None:
    seen = {"what is 10 + 10?"}
    assert len(instances_of("sums", [*ENTRIES, *ENTRIES], seen)) == len(ENTRIES) - 1
    assert instances_of("sums", ENTRIES, seen) == []


def test_seeds_differ_by_purpose_and_stay_the_same() -> None:
    assert derived_seed(1, "gcd", "pool") != derived_seed(1, "gcd", "benchmark")
    assert derived_seed(1, "gcd", "pool") == derived_seed(1, "gcd", "pool") < 2**31
