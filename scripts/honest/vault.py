import random
from dataclasses import dataclass, field
from enum import Enum
from typing import Dict, List, Optional, Tuple

SIZE = 5


class Mark(Enum):
    EXACT = "exact"
    PRESENT = "present"


@dataclass
class Guess:
    digits: Tuple[int, ...]
    marks: Dict[Mark, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{''.join(map(str, self.digits))}: " + ", ".join(f"{m.value} {n}" for m, n in self.marks.items())


class VaultEnv:
    """Break a code of SIZE digits."""

    LENGTH = SIZE

    def __init__(self, max_turns: int = 12):
        self.max_turns = max_turns
        self.history: List[Guess] = []
        self.code: Optional[Tuple[int, ...]] = None
        self.reset()

    def reset(self, seed: Optional[int] = None):
        if seed is not None:
            random.seed(seed)
        self.code = tuple(random.randrange(10) for _ in range(self.LENGTH))
        self.history = []
        return self._describe(), {"length": self.LENGTH}

    def _describe(self) -> str:
        lines = [f"A vault opens with {self.LENGTH} digits. Answer \\boxed{{digits}}."]
        lines.extend(f"{i + 1}. {guess}" for i, guess in enumerate(self.history))
        return "\n".join(lines)

    def _judge(self, digits: Tuple[int, ...]) -> Guess:
        exact = sum(a == b for a, b in zip(digits, self.code))
        present = sum((Counter(digits) & Counter(self.code)).values()) - exact
        return Guess(digits, {Mark.EXACT: exact, Mark.PRESENT: present})

    def step(self, action: str):
        match = re.search(r"\\boxed\{\s*([0-9 ]+?)\s*\}", action)
        if match is None or len(match.group(1).replace(" ", "")) != self.LENGTH:
            self.history.append(Guess((0,) * 0))
            over = len(self.history) >= self.max_turns
            return "Give exactly that many digits in a box.\n" + self._describe(), 0.0, False, over, {}
        guess = self._judge(tuple(int(c) for c in match.group(1).replace(" ", "")))
        self.history.append(guess)
        if guess.marks[Mark.EXACT] == self.LENGTH:
            return "It opens.", 1.0, True, False, {"turns": len(self.history)}
        if len(self.history) >= self.max_turns:
            return f"Locked for good. It was {self.code}.", 0.0, True, False, {}
        return self._describe(), 0.0, False, False, {}

    def solution(self) -> str:
        return "\\boxed{" + "".join(map(str, self.code)) + "}"
