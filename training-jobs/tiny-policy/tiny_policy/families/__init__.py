"""The families of environments that the embedded policy is taught, one file each."""

from __future__ import annotations

from . import (
    backwards,
    best_few,
    cheapest,
    coins,
    echo,
    effects,
    guess,
    nim,
    ranking,
    running_sum,
    runs,
    schedule,
    sequence,
    suspects,
    walk,
)
from .base import Family

FAMILIES: tuple[Family, ...] = tuple(
    module.FAMILY
    for module in (
        running_sum,
        coins,
        ranking,
        guess,
        walk,
        sequence,
        runs,
        best_few,
        cheapest,
        effects,
        suspects,
        echo,
        backwards,
        nim,
        schedule,
    )
)
"""Every family; two of each skill, one of Spatial Reasoning."""

SKILLS: tuple[str, ...] = tuple(dict.fromkeys(family.skill for family in FAMILIES))
"""The skills that the embedded policy knows, in the order of `FAMILIES`."""


def families_of(skill: str) -> tuple[Family, ...]:
    """The families of one skill; empty for a skill that the policy was never taught."""
    return tuple(family for family in FAMILIES if family.skill == skill)
