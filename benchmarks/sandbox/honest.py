"""The program that every contestant plays: one guess, one answer, and a turn limit that is never reached."""

import random


class GuessEnv:
    """Guess a number."""

    def __init__(self, max_turns: int = 1_000_000_000) -> None:
        self.max_turns = max_turns

    def reset(self, seed: int | None = None) -> tuple[str, dict]:
        """A new number."""
        self.rng = random.Random(seed)
        self.number = self.rng.randint(1, 1000)
        self.turn = 0
        return "Guess a number from 1 to 1000", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict]:
        """Higher or lower."""
        self.turn += 1
        guess = action.partition("boxed{")[2].split("}")[0]
        won = guess == str(self.number)
        word = "right" if won else "lower" if guess > str(self.number) else "higher"
        return word, float(won), won, self.turn >= self.max_turns, {}
