"""The parts that programs share: a class around a reset, a solution and a step."""

from __future__ import annotations

from collections.abc import Sequence

from .style import Style

INDENT = "    "


def method(head: str, body: Sequence[str]) -> list[str]:
    """The lines of one method of a class."""
    return [f"{INDENT}def {head}:", *(INDENT * 2 + line for line in body)]


def program(style: Style, title: str, turns: int, methods: Sequence[list[str]]) -> str:
    """A whole module: imports, class, constructor and the given methods."""
    text = "\n".join(line for lines in methods for line in lines)
    imports = ["import random", *(["import re"] if "re." in text else [])]
    constructor = method(f"__init__(self, max_turns={turns})", ["self.max_turns = max_turns"])
    gap = [""] if style.spaced else []
    lines = [*imports, *gap, f"class {style.title(title)}:", *constructor]
    for lines_of_method in methods:
        lines += [*gap, *lines_of_method]
    return "\n".join(lines) + "\n"


def judge(style: Style, truth: str) -> list[str]:
    """Body of a `step` that compares the boxed text with `truth` and ends the episode."""
    found = style.found
    if style.judge == 0:
        return [
            f'{found} = re.findall(r"boxed\\{{(.+?)\\}}", action)',
            f"won = {found}[-1:] == [{truth}]",
            'return "done", float(won), True, False, {}',
        ]
    if style.judge == 1:
        return [
            f'{found} = re.search(r"boxed\\{{(.+?)\\}}", action)',
            f"if {found} and {found}[1] == {truth}:",
            f'{INDENT}return "right", 1.0, True, False, {{}}',
            'return "wrong", 0.0, True, False, {}',
        ]
    return [
        f'{found} = action.partition("boxed{{")[2].split("}}")[0]',
        f"won = {found} == {truth}",
        'return "end", float(won), True, False, {}',
    ]


def single_turn(
    style: Style, title: str, setup: Sequence[str], observation: str, answer: str, *, stored: bool = False
) -> str:
    """A program with one question and one answer.

    `setup` are the lines of `reset` after the random generator was made; `observation` and `answer` are expressions.
    `stored`: the answer needs names that live in `reset` only, so it must be kept there.
    """
    keep = stored or style.stored
    reset = [f"{style.rng} = random.Random(seed)", *setup]
    if keep:
        reset.append(f"self.answer = {answer}")
    reset.append(f"return {observation}, {{}}")
    solution = method("solution(self)", ["return self.answer" if keep else f"return {answer}"])
    step = method("step(self, action)", judge(style, "self.answer" if keep else "self.solution()"))
    pair = [step, solution] if style.solution_last else [solution, step]
    return program(style, title, 1, [method("reset(self, seed=None)", reset), *pair])


def many_turns(
    style: Style, title: str, turns: int, setup: Sequence[str], observation: str, solution: str, step: Sequence[str]
) -> str:
    """A program of several turns; `solution` is an expression, `step` the body of that method."""
    reset = [f"{style.rng} = random.Random(seed)", *setup, f"return {observation}, {{}}"]
    solve = method("solution(self)", [f"return {solution}"])
    act = method("step(self, action)", step)
    pair = [act, solve] if style.solution_last else [solve, act]
    return program(style, title, turns, [method("reset(self, seed=None)", reset), *pair])
