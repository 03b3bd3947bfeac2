import pytest

from spade_sandbox.classes import check_signatures, construct, find_environment_class, name_of
from spade_sandbox.faults import Fault, describe, fault_of
from spade_sandbox.tool_use import ToolUseBaseEnv

BODY = "    def reset(self, seed=None): return 'x', {}\n    def step(self, action): return 'y', 0.0, True, False, {}\n"


def namespace(source: str) -> dict[str, object]:
    names: dict[str, object] = {"__name__": "environment", "ToolUseBaseEnv": ToolUseBaseEnv}
    exec(source, names)
    return names


def found(source: str) -> str:
    return name_of(find_environment_class(namespace(source), frozenset({ToolUseBaseEnv})))


def test_the_one_class_with_the_contract_is_found() -> None:
    helper = "class HelperEnv: pass\ndef makeEnv(): return None\n"
    assert found(helper + "class GameEnv:\n" + BODY) == "GameEnv"


def test_the_most_derived_class_is_the_environment() -> None:
    assert found("class BaseGameEnv:\n" + BODY + "class GameEnv(BaseGameEnv): pass\n") == "GameEnv"


def test_an_alias_is_not_a_second_class() -> None:
    assert found("class GameEnv:\n" + BODY + "OtherEnv = GameEnv\n") == "GameEnv"


def test_the_injected_base_is_not_an_environment() -> None:
    assert found("class ShopEnv(ToolUseBaseEnv): pass\n") == "ShopEnv"
    with pytest.raises(Fault, match=r"class\.missing"):
        found("x = 1")


def test_two_unrelated_classes_are_ambiguous() -> None:
    with pytest.raises(Fault, match=r"class\.ambiguous"):
        found("class OneEnv:\n" + BODY + "class TwoEnv:\n" + BODY)


@pytest.mark.parametrize(
    ("reset", "step"),
    [
        ("def reset(self)", "def step(self, action)"),
        ("def reset(self, seed, size)", "def step(self, action)"),
        ("def reset(self, seed)", "def step(self)"),
        ("def reset(self, seed)", "def step(self, action, more)"),
        ("async def reset(self, seed)", "def step(self, action)"),
        ("@staticmethod\n    def reset(seed)", "def step(self, action)"),
    ],
)
def test_signatures_that_are_refused(reset: str, step: str) -> None:
    names = namespace(f"class GameEnv:\n    {reset}: pass\n    {step}: pass\n")
    with pytest.raises(Fault, match=r"contract\.signature"):
        check_signatures(names["GameEnv"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "reset", ["def reset(self, seed=None)", "def reset(self, *, seed)", "def reset(self, **options)"]
)
def test_signatures_that_are_accepted(reset: str) -> None:
    names = namespace(f"class GameEnv:\n    {reset}: pass\n    def step(self, action, verbose=False): pass\n")
    check_signatures(names["GameEnv"])  # type: ignore[arg-type]


def test_max_turns_is_passed_only_where_it_is_taken() -> None:
    names = namespace(
        "class OneEnv:\n    def __init__(self, max_turns): self.turns = max_turns\nclass TwoEnv:\n    turns = 3\n"
    )
    assert construct(names["OneEnv"], 7).turns == 7  # type: ignore[arg-type,attr-defined]
    assert construct(names["TwoEnv"], 7).turns == 3  # type: ignore[arg-type,attr-defined]


def test_a_constructor_with_other_arguments_is_refused() -> None:
    names = namespace("class OneEnv:\n    def __init__(self, size): pass\n")
    with pytest.raises(Fault, match=r"class\.construct"):
        construct(names["OneEnv"], 7)  # type: ignore[arg-type]


class Loud(Exception):
    def __str__(self) -> str:
        raise AssertionError("a method of the program was called")


def test_a_foreign_exception_is_described_by_its_type_alone() -> None:
    assert describe(Loud("secret")) == "Loud"


def test_a_builtin_exception_is_described_in_one_short_printable_line() -> None:
    text = describe(ValueError("\x1b[31m\n" + "x" * 10_000))
    assert text.startswith("ValueError: \\x1b[31m\\n")
    assert len(text) <= 300
    assert text.isprintable()


@pytest.mark.parametrize(
    ("error", "phase", "expected"),
    [
        (MemoryError(), "run", "limit.memory"),
        (PermissionError(13, "no"), "run", "policy.file"),
        (SystemExit(0), "run", "crash.exit"),
        (SystemExit(0), "import", "import.exit"),
        (KeyboardInterrupt(), "import", "import.exit"),
        (ImportError("x"), "import", "import.missing"),
        (ValueError("x"), "import", "import.exception"),
        (ValueError("x"), "construct", "class.construct"),
        (ValueError("x"), "run", "env.exception"),
        (Loud(), "run", "env.exception"),
    ],
)
def test_reasons_of_exceptions(error: BaseException, phase: str, expected: str) -> None:
    assert fault_of(error, phase).reason == expected
