"""How an answer is scored against the known one, in [0, 1]. Each function is also the text that goes into programs.

Every rule is the one that reasoning-gym's datasets of that kind use, written anew and compared with theirs over a
battery of answers before a program is made (`survey.py`). Answers that several texts may stand for are not here: they
need the dataset's own checker.
"""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation

Scorer = Callable[[str, str], float]


def exact(given: str, known: str) -> float:
    """The same text."""
    return float(given == known)


def containing(given: str, known: str) -> float:
    """The same text; a longer text that holds it earns the share of it that is the answer."""
    if given == known and given != "":
        return 1.0
    return len(known) / len(given) if given and known in given else 0.0


def folded(given: str, known: str) -> float:
    """The same text without case and line ends."""
    return float(given.lower().replace("\n", "") == known.lower().replace("\n", ""))


def trimmed(given: str, known: str) -> float:
    """The same text without case and outer blanks."""
    return float(given.strip().lower() == known.strip().lower())


def unspaced(given: str, known: str) -> float:
    """The same text without case and blanks."""
    return float(given.replace(" ", "").strip().lower() == known.strip().lower())


def collapsed(given: str, known: str) -> float:
    """The same words."""
    return float(bool(given.strip()) and given.split() == known.split())


def decimal_text(given: str, known: str) -> float:
    """The same decimal number, commas or not; otherwise as `containing`."""
    if given == "":
        return 0.0
    given, known = given.replace(",", ""), known.replace(",", "")
    try:
        if Decimal(given) == Decimal(known):
            return 1.0
    except InvalidOperation:
        pass
    return len(known) / len(given) if given and known in given else 0.0


def decimal(given: str, known: str) -> float:
    """The same decimal number."""
    try:
        return float(Decimal(given.strip()) == Decimal(known))
    except InvalidOperation:
        return 0.0


def near(given: str, known: str) -> float:
    """A number within a hundredth."""
    try:
        return float(abs(float(given.strip().replace(",", "")) - float(known)) < 1e-2)
    except ValueError:
        return 0.0


SCORERS: dict[str, Scorer] = {
    scorer.__name__: scorer
    for scorer in (exact, containing, folded, trimmed, unspaced, collapsed, decimal_text, decimal, near)
}
