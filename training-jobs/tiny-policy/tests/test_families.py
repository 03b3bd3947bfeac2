"""Every family at every level: the program loads, its strategy and its solution win, and a wrong answer loses."""

from __future__ import annotations

import ast
from random import Random

import pytest
from tiny_policy.demonstrations import Designed, design, load, play
from tiny_policy.families import FAMILIES, SKILLS
from tiny_policy.families.base import LEVELS, Family, Slip, View, boxed, numbers

EACH_FAMILY = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
SEEDS = range(4)


def made(family: Family, level: int, variant: int = 0) -> Designed:
    return design(family, level, Random(f"test:{family.name}:{level}:{variant}"))


def steady(rng: Random) -> Slip:
    return Slip(rng, 0.0)


def test_at_least_a_dozen_families_over_at_least_six_skills_four_of_them_with_several_turns() -> None:
    assert len(FAMILIES) >= 12
    assert len(SKILLS) >= 6
    assert sum(family.turns > 1 for family in FAMILIES) >= 4
    assert len({family.title for family in FAMILIES}) == len({family.name for family in FAMILIES}) == len(FAMILIES)


@EACH_FAMILY
def test_the_strategy_wins(family: Family) -> None:
    for level in LEVELS:
        source = made(family, level).source
        for seed in SEEDS:
            slip = steady(Random(seed))
            _, reward = play(family, source, seed, lambda view, slip=slip: family.expert(view, slip))
            assert reward == 1.0


@EACH_FAMILY
def test_the_naive_player_ends_its_episodes_with_a_reward_of_nought_or_one(family: Family) -> None:
    for level in LEVELS:
        source = made(family, level).source
        for seed in SEEDS:
            slip = steady(Random(seed))
            turns, reward = play(family, source, seed, lambda view, slip=slip: family.naive(view, slip))
            assert reward in (0.0, 1.0)
            assert all(turn.action.startswith("\\boxed{") and turn.action.endswith("}") for turn in turns)


@EACH_FAMILY
def test_the_solution_wins_and_garbage_loses(family: Family) -> None:
    for level in LEVELS:
        source = made(family, level).source
        for seed in SEEDS:
            environment = load(source)
            environment.reset(seed)
            answer = environment.solution()
            replies = iter(answer if isinstance(answer, list) else [answer])
            _, reward = play(family, source, seed, lambda _view, replies=replies: boxed(next(replies)))
            assert reward == 1.0
            for action in ("", "no idea", boxed("zzz"), "\\boxed{"):
                assert play(family, source, seed, lambda _view, action=action: action)[1] == 0.0


@EACH_FAMILY
def test_an_episode_is_a_function_of_the_seed(family: Family) -> None:
    for level in LEVELS:
        source = made(family, level).source
        openings = [load(source).reset(seed) for seed in range(12)]
        assert openings == [load(source).reset(seed) for seed in range(12)]
        assert len({observation for observation, _ in openings}) > 1


@EACH_FAMILY
def test_a_program_is_one_env_class_about_a_word_of_its_document(family: Family) -> None:
    for level in LEVELS:
        one = made(family, level)
        classes = [node.name for node in ast.parse(one.source).body if isinstance(node, ast.ClassDef)]
        assert classes == [one.title]
        noun = one.title.removesuffix(f"{family.title}Env").lower()
        assert noun == "item" or noun in one.document
        assert noun in load(one.source).reset(0)[0]


@EACH_FAMILY
def test_hints_are_short_and_hold_no_values(family: Family) -> None:
    for hint in family.hints:
        assert not numbers(hint)
        assert 2 <= len(hint.split()) <= 14


@EACH_FAMILY
def test_higher_levels_are_larger(family: Family) -> None:
    def extent(level: int) -> float:
        programs = [made(family, level, variant).source for variant in range(12)]
        return sum(family.extent(load(source).reset(seed)[0]) for seed, source in enumerate(programs))

    if family.name != "echo":  # shows one item at first, however long its list
        assert extent(6) > max(extent(1), extent(3))


@EACH_FAMILY
def test_programs_of_a_family_are_not_one_template(family: Family) -> None:
    trees = {ast.dump(ast.parse(made(family, 3, variant).source)) for variant in range(24)}
    assert len(trees) > 12


@EACH_FAMILY
def test_an_unsteady_expert_sometimes_loses(family: Family) -> None:
    source = made(family, 5).source
    slip = Slip(Random(1), 0.9)
    lost = 0
    for seed in range(20):
        _, reward = play(family, source, seed, lambda view: family.expert(view, slip))
        lost += reward == 0.0
    assert lost > 0


def test_a_view_knows_its_first_observation() -> None:
    assert View((), "start").first == "start"
