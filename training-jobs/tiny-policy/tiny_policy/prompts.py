"""The prompt set of the embedded policy, and how its templates are filled in."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PROMPTS = Path(__file__).resolve().parents[3] / "shared" / "prompts" / "tiny.json"


@dataclass(frozen=True)
class Message:
    """One message of a conversation; `role` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True)
class MemoryExample:
    """An earlier environment as a design request shows it; `won` is the win rate in percent."""

    title: str
    level: int
    won: int
    note: str


@cache
def prompt_set() -> dict[str, dict[str, str]]:
    """The templates of shared/prompts/tiny.json."""
    loaded: dict[str, dict[str, str]] = json.loads(PROMPTS.read_text(encoding="utf-8"))
    return loaded


def fill(template: str, values: dict[str, str]) -> str:
    """`template` with every `{{name}}` replaced; inserted text is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], template)


def design_messages(skill: str, level: int, document: str, examples: tuple[MemoryExample, ...] = ()) -> list[Message]:
    """The request for one environment of a skill at a level (1 to 6), grounded in a document excerpt."""
    templates = prompt_set()["designer"]
    shown = [
        fill(
            templates["example"],
            {"title": each.title, "problemSize": str(each.level), "winPercent": str(each.won), "note": each.note},
        )
        for each in examples
    ]
    values = {
        "skill": skill,
        "problemSize": str(level),
        "examples": "\n".join(shown) or templates["noExamples"],
        "document": document,
    }
    return [Message("system", templates["system"]), Message("user", fill(templates["user"], values))]


def hint_messages(source: str) -> list[Message]:
    """The request for a strategy hint on a program."""
    templates = prompt_set()["hint"]
    return [Message("system", templates["system"]), Message("user", fill(templates["user"], {"source": source}))]


def play_messages(observation: str, hint: str | None) -> list[Message]:
    """The opening of an episode, with the hint in the hinted arm."""
    templates = prompt_set()["agent"]
    if hint is None:
        first = fill(templates["user"], {"observation": observation})
    else:
        first = fill(templates["userHinted"], {"observation": observation, "hint": hint})
    return [Message("system", templates["system"]), Message("user", first)]
