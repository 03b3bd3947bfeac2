"""The committed benchmark is the recipe's, large enough, over all levels, about words the policy was not taught."""

from __future__ import annotations

from tiny_policy.benchmark import read, rows
from tiny_policy.documents import held_out
from tiny_policy.families import FAMILIES, SKILLS
from tiny_policy.families.base import LEVELS


def test_the_committed_file_is_what_the_recipe_writes() -> None:
    assert read() == rows()


def test_it_has_at_least_240_instances_over_all_families_levels_and_skills() -> None:
    benchmark = rows()
    assert sum(len(row.seeds) for row in benchmark) >= 240
    assert {(row.id.rsplit("-", 1)[0], row.level) for row in benchmark} == {
        (family.name, level) for family in FAMILIES for level in LEVELS
    }
    assert {row.skill for row in benchmark} == set(SKILLS)


def test_its_programs_are_about_held_out_words() -> None:
    for row in rows():
        name = next(line for line in row.code.splitlines() if line.startswith("class "))
        title = next(family.title for family in FAMILIES if family.name == row.id.rsplit("-", 1)[0])
        assert held_out(name.split()[1].removesuffix(f"{title}Env:").lower())


def test_ids_and_seeds_are_unique() -> None:
    benchmark = rows()
    assert len({row.id for row in benchmark}) == len(benchmark)
    seeds = [seed for row in benchmark for seed in row.seeds]
    assert len(set(seeds)) == len(seeds)
