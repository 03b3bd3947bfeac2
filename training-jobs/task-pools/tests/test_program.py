from typing import Any

import pytest
from task_pools.program import Instance, class_name, program_of, programs_within
from task_pools.scorers import SCORERS

INSTANCES = [
    Instance('How many "r" in strawberry?', "3"),
    Instance("Reverse: {a}\\n", "}a{"),
    Instance("Émile's age?", "zwölf"),
]


def environment(code: str, name: str) -> Any:
    names: dict[str, Any] = {}
    exec(code, names)
    return names[name]()


@pytest.mark.parametrize("scorer", SCORERS)
def test_a_program_plays_its_instances_without_any_package(scorer: str) -> None:
    env = environment(program_of("letter_counting", "somewhere 1.0", INSTANCES, scorer), "LetterCountingEnv")
    for seed, instance in enumerate(INSTANCES):
        if scorer in ("decimal", "near") and not instance.answer.isdigit():
            continue
        observation, info = env.reset(seed=seed)
        assert observation == instance.question.strip() + "\n\nGive your answer as \\boxed{answer}."
        assert info == {}
        assert env.solution() == instance.answer
        if instance.answer.count("{") == instance.answer.count("}") and not instance.answer.startswith("}"):
            assert env.step(f"So \\boxed{{no}}, no: \\boxed{{{instance.answer}}}.") == ("right", 1.0, True, False, {})


def test_seeds_choose_instances_in_turn() -> None:
    env = environment(program_of("a_b", "x 1", INSTANCES, "exact"), "ABEnv")
    assert [env.reset(seed=seed)[0] == env.reset(seed=seed + 3)[0] for seed in range(3)] == [True] * 3
    assert len({env.reset(seed=seed)[0] for seed in range(9)}) == 3
    assert env.reset()[0] == env.reset(seed=0)[0]


@pytest.mark.parametrize(
    ("action", "reward"),
    [
        ("\\boxed{3}", 1.0),
        ("3", 1.0),
        ("\\boxed{ 3 }", 1.0),
        ("\\boxed{4} \\boxed{3", 0.0),
        ("", 0.0),
        ("\\boxed{}", 0.0),
    ],
)
def test_what_counts_as_the_answer(action: str, reward: float) -> None:
    env = environment(program_of("count", "x 1", INSTANCES, "exact"), "CountEnv")
    env.reset(seed=0)
    assert env.step(action)[1] == reward


def test_as_many_instances_as_fit() -> None:
    many = [Instance("q" * 100, str(n)) for n in range(50)]
    found = programs_within("count", "x 1", many, "exact", 4000)
    assert found is not None
    text, count = found
    assert len(text.encode()) <= 4000 < len(program_of("count", "x 1", many[: count + 1], "exact").encode())
    assert programs_within("count", "x 1", many, "exact", 100) is None


@pytest.mark.parametrize(("task", "name"), [("arc_1d", "Arc1dEnv"), ("gcd", "GcdEnv"), ("puzzle24", "Puzzle24Env")])
def test_class_names(task: str, name: str) -> None:
    assert class_name(task) == name
