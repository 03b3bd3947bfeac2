import abc
import datetime
import decimal
import fractions
import math
import random
import statistics
import string
import textwrap

SIZE = 5


class Game(abc.ABC):
    """What all games share."""

    __slots__ = ("max_turns", "turn", "_rng")

    def __init__(self, max_turns=5):
        self.max_turns, self.turn, self._rng = max_turns, 0, random.Random()

    @property
    def last(self):
        return self.turn >= self.max_turns

    @abc.abstractmethod
    def reset(self, seed=None): ...

    @staticmethod
    def boxed(action):
        start = action.rfind("\\boxed{")
        return action[start + 7 :].partition("}")[0].strip() if start >= 0 else ""


class MarketEnv(Game):
    """Accounts of SIZE days, in exact decimals."""

    __slots__ = ("days", "total")

    TEMPLATE = string.Template("On $day you sold $count pieces at $price each.")

    def reset(self, seed=None):
        self.turn, self._rng = 0, random.Random(seed)
        first = datetime.date(2024, 1, 1) + datetime.timedelta(days=self._rng.randrange(1000))
        self.days = [
            (
                first + datetime.timedelta(days=i),
                self._rng.randint(2, 99),
                decimal.Decimal(self._rng.randint(101, 9999)) / 100,
            )
            for i in range(SIZE)
        ]
        self.total = sum((count * price for _, count, price in self.days), decimal.Decimal(0))
        lines = (self.TEMPLATE.substitute(day=f"{d:%A %d %B %Y}", count=c, price=p) for d, c, p in self.days)
        mean = statistics.mean([float(price) for _, _, price in self.days])
        share = fractions.Fraction(self.days[0][1], sum(count for _, count, _ in self.days))
        text = " ".join(lines) + f" Mean price {mean:.3f}; the first day sold {share} of all pieces."
        return textwrap.fill(text + " What did you earn in all, to the cent? Answer \\boxed{amount}.", 100), {}

    def step(self, action):
        self.turn += 1
        try:
            amount = decimal.Decimal(self.boxed(action).replace("$", ""))
            right = amount.is_finite() and abs(amount - self.total) < decimal.Decimal("0.005")
        except decimal.InvalidOperation:
            return "That is no amount.", 0.0, False, self.last, {}
        if right:
            return "Exactly.", 1.0, True, False, {"error": 0.0}
        digits = math.floor(math.log10(self.total)) + 1
        return f"No. The amount has {digits} digits before the point.", 0.0, False, self.last, {}

    def solution(self):
        return str(self.total)
