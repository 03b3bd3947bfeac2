"""Words and numbers are taken from documents as the recipe says."""

from __future__ import annotations

from random import Random

from tiny_policy.benchmark import WORDS
from tiny_policy.documents import EXCERPT_WORDS, documents, excerpt, grounding, held_out, nouns


def test_nouns_are_plain_lower_case_words() -> None:
    assert nouns("Return the `os.path` of a file, see open() or x_size; tree") == ["file", "tree"]


def test_held_out_words_never_ground_a_program() -> None:
    reserved = [word for word in WORDS if held_out(word)]
    assert len(reserved) >= 5
    assert grounding(" ".join(reserved), Random(0)) == ("item", 0)


def test_the_first_small_number_is_found() -> None:
    assert grounding("in 1999 there were 12 or 7 files", Random(0))[1] == 12


def test_excerpts_have_the_agreed_length() -> None:
    assert len(documents()) > 500
    rng = Random(0)
    assert all(len(excerpt(rng).split()) == EXCERPT_WORDS for _ in range(50))
