import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spade_sandbox.analysis import analyse
from spade_sandbox.faults import Fault
from spade_sandbox.normalise import SKETCH_SIZE, sketch, syntax_hash
from spade_sandbox.preload import allowed_modules

ALLOWED = allowed_modules()
PROGRAM = '''
import random

class GuessEnv:
    """Guess a number."""
    def __init__(self, max_turns=10):
        self.max_turns = max_turns
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.hidden = rng.randint(1, 100)
        return "guess", {}
    def step(self, action):
        won = action == str(self.hidden)
        return "no", float(won), True, False, {}
    def solution(self):
        return str(self.hidden)
'''
RENAMED = """
import random
# another comment
class FindEnv:
    def solution(self):
        return str(self.number)
    def step(self, action):
        good = action == str(self.number)
        return "no", float(good), True, False, {}
    def reset(self, seed=None):
        dice = random.Random(seed)
        self.number = dice.randint(1, 100)
        return "guess", {}
    def __init__(self, max_turns=10):
        self.max_turns = max_turns
"""


def reason(source: str) -> str | None:
    try:
        analyse(source, ALLOWED)
    except Fault as fault:
        return fault.reason
    return None


def similarity(a: str, b: str) -> float:
    pairs = list(zip(sketch(ast.parse(a)), sketch(ast.parse(b)), strict=True))
    return sum(x == y for x, y in pairs) / len(pairs)


def test_facts_of_an_honest_program() -> None:
    facts = analyse(PROGRAM, ALLOWED)
    assert facts["title"] == "GuessEnv"
    assert facts["imports"] == ["random"]
    assert facts["methods"] == ["__init__", "reset", "solution", "step"]
    assert len(facts["shingles"]) == SKETCH_SIZE
    assert facts["warnings"] == []


def test_names_comments_docstrings_and_method_order_do_not_matter() -> None:
    assert syntax_hash(ast.parse(PROGRAM)) == syntax_hash(ast.parse(RENAMED))
    assert similarity(PROGRAM, RENAMED) == 1.0


def test_a_constant_matters_to_the_hash_and_little_to_the_sketch() -> None:
    other = PROGRAM.replace("100", "101")
    assert syntax_hash(ast.parse(PROGRAM)) != syntax_hash(ast.parse(other))
    assert 0.7 < similarity(PROGRAM, other) < 1.0


def test_another_game_is_far_away() -> None:
    other = """
class SortEnv:
    def reset(self, seed=None):
        self.items = sorted((seed * k) % 97 for k in range(5))
        return " ".join(map(str, self.items)), {}
    def step(self, action):
        parts = action.split(",")
        return ("yes", 1.0, True, False, {}) if len(parts) == 5 else ("no", 0.0, False, True, {})
"""
    assert similarity(PROGRAM, other) < 0.3


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", "source.empty"),
        ("# only a comment", "source.empty"),
        ("def f(:", "source.syntax"),
        ("x = " + "(" * 300 + "1" + ")" * 300, "source.syntax"),
        ("x = 1", "class.missing"),
        ("class GuessEnv: pass", "class.missing"),
        (PROGRAM + RENAMED, "class.ambiguous"),
        ("import os\n" + PROGRAM, "import.forbidden"),
        ("import \uff4f\uff53\n" + PROGRAM, "import.forbidden"),
        ("from os import path\n" + PROGRAM, "import.forbidden"),
        ("from . import x\n" + PROGRAM, "import.forbidden"),
        ("__import__('o' + 's')\n" + PROGRAM, "import.forbidden"),
        ("import numpy\n" + PROGRAM, "import.forbidden"),
        ("eval('1')\n" + PROGRAM, "import.forbidden"),
        ("import collections.abc, datetime\n" + PROGRAM, None),
    ],
)
def test_refusals(source: str, expected: str | None) -> None:
    assert reason(source) == expected


def test_a_base_class_is_not_a_second_environment() -> None:
    assert analyse(PROGRAM + "\nclass HardEnv(GuessEnv):\n    pass\n", ALLOWED)["title"] == "HardEnv"


def test_an_extra_module_is_allowed_with_its_submodules() -> None:
    assert analyse("import numpy.random\n" + PROGRAM, allowed_modules(("numpy",)))["imports"] == ["numpy", "random"]


def test_warnings() -> None:
    assert analyse("# \u202e\n" + PROGRAM, ALLOWED)["warnings"] == ["source.bidi"]
    assert analyse(PROGRAM.replace("Random(seed)", "Random(1)"), ALLOWED)["warnings"] == ["seed.unread"]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_gives_facts_or_a_reason(text: str) -> None:
    try:
        analyse(text, ALLOWED)
    except Fault as fault:
        assert fault.reason.split(".")[0] in {"source", "class", "import"}
