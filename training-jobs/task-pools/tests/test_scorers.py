import pytest
from task_pools.scorers import SCORERS


@pytest.mark.parametrize(
    ("kind", "given", "known", "score"),
    [
        ("exact", "Yes", "Yes", 1.0),
        ("exact", "yes", "Yes", 0.0),
        ("containing", "12", "12", 1.0),
        ("containing", "it is 12", "12", 0.25),
        ("containing", "1", "12", 0.0),
        ("containing", "", "12", 0.0),
        ("folded", "a\nB", "AB", 1.0),
        ("folded", " ab", "ab", 0.0),
        ("trimmed", " Ann ", "ann", 1.0),
        ("unspaced", "New York", "newyork", 1.0),
        ("collapsed", "a  b\nc", "a b c", 1.0),
        ("collapsed", " ", " ", 0.0),
        ("decimal_text", "+01,000.00", "1000", 1.0),
        ("decimal_text", "so 1000", "1000", 4 / 7),
        ("decimal_text", "", "0", 0.0),
        ("decimal", " 2.50 ", "2.5", 1.0),
        ("decimal", "two", "2", 0.0),
        ("near", "1,000.004", "1000", 1.0),
        ("near", "1000.02", "1000", 0.0),
        ("near", "a thousand", "1000", 0.0),
    ],
)
def test_scores(kind: str, given: str, known: str, score: float) -> None:
    assert SCORERS[kind](given, known) == pytest.approx(score)


@pytest.mark.parametrize("kind", SCORERS)
def test_a_known_answer_earns_all_and_nothing_is_beyond(kind: str) -> None:
    assert SCORERS[kind]("42", "42") == 1.0
    for given in ("", " ", "nan", "inf", "x" * 100, "42 42", "-42", "4e1000"):
        assert 0.0 <= SCORERS[kind](given, "42") <= 1.0
