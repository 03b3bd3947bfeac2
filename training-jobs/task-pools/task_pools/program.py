"""One environment program: a class, its instances as data, and the text of its scorer."""

import ast
import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass

from .scorers import SCORERS

FORM = "Give your answer as \\boxed{answer}."

_TEMPLATE = '''"""{title}: {count} instances, scored as "{scorer}"."""

{imports}
INSTANCES = {instances}


{score}

def boxed(text):
    """Content of the last closed outermost box, or the text itself."""
    found, start, depth = None, -1, 0
    for i, character in enumerate(text):
        if start < 0:
            if text.startswith("boxed{{", i):
                start, depth = i + len("boxed{{"), 1
        elif i >= start:
            depth += (character == "{{") - (character == "}}")
            if depth == 0:
                found, start = text[start:i], -1
    return text if found is None else found


class {name}:
    """One question, one answer. The seed chooses the instance."""

    def __init__(self, max_turns=1):
        self.max_turns = max_turns

    def reset(self, seed=None):
        self._question, self._answer = INSTANCES[(seed or 0) % len(INSTANCES)]
        return self._question.strip() + "\\n\\n{form}", {{}}

    def solution(self):
        return self._answer

    def step(self, action):
        reward = {scorer}(boxed(action).strip(), self._answer)
        return ("right" if reward == 1.0 else "wrong"), reward, True, False, {{}}
'''


@dataclass(frozen=True)
class Instance:
    """A question and the answer that is known."""

    question: str
    answer: str


def class_name(task: str) -> str:
    """`letter_counting` becomes `LetterCountingEnv`."""
    words = re.findall(r"[A-Za-z0-9]+", task)
    return "".join(word[:1].upper() + word[1:] for word in words) + "Env"


def program_of(task: str, origin: str, instances: Sequence[Instance], scorer: str) -> str:
    """The text of a program that plays `instances` of `task` without any package."""
    score = inspect.getsource(SCORERS[scorer])
    literal = "[\n" + "".join(f"    ({i.question!a}, {i.answer!a}),\n" for i in instances) + "]"
    needs_decimal = "Decimal" in score
    text = _TEMPLATE.format(
        title=f"{task} of {origin}",
        count=len(instances),
        scorer=scorer,
        imports="from decimal import Decimal, InvalidOperation\n" if needs_decimal else "",
        instances=literal,
        score=score,
        name=class_name(task),
        form=FORM.replace("\\", "\\\\"),
    )
    ast.parse(text)
    return text


def programs_within(
    task: str, origin: str, instances: Sequence[Instance], scorer: str, max_bytes: int
) -> tuple[str, int] | None:
    """The program with as many of the instances as fit, and how many; None when not even one does."""
    low, high = 0, len(instances)
    while low < high:
        middle = (low + high + 1) // 2
        fits = len(program_of(task, origin, instances[:middle], scorer).encode()) <= max_bytes
        low, high = (middle, high) if fits else (low, middle - 1)
    return (program_of(task, origin, instances[:low], scorer), low) if low > 0 else None
