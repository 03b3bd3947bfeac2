import base64
import bisect
import difflib
import hashlib
import heapq
import logging
import random
import unicodedata
import warnings
from typing import NamedTuple

SIZE = 5

WORDS = (
    "amber bridge candle desert engine forest garden harbor island jacket kettle lantern marble needle orchard "
    "pepper quarry ribbon saddle timber umbrella velvet window yellow zephyr"
).split()
log = logging.getLogger("cipher")


class Line(NamedTuple):
    plain: str
    key: int

    def hidden(self):
        return "".join(chr((ord(c) - 97 + self.key) % 26 + 97) if c.isalpha() else c for c in self.plain)


class CipherEnv:
    """A shifted sentence of SIZE words."""

    def reset(self, seed=None):
        rng = random.Random(f"cipher-{seed}")
        self.turns = 0
        self.line = Line(" ".join(rng.sample(WORDS, SIZE)), rng.randint(1, 25))
        common = heapq.nlargest(3, set(self.line.hidden()) - {" "}, key=lambda c: (self.line.hidden().count(c), c))
        place = bisect.bisect(WORDS, self.line.plain.split()[0])
        check = hashlib.sha256(self.line.plain.encode()).hexdigest()[:6]
        log.debug("place %d", place)
        mark = base64.b32encode(check.encode()).decode()
        return (
            f"\N{LOCK} Every letter was shifted by the same number: “{self.line.hidden()}” ({mark}). "
            f"Most common: {', '.join(sorted(common))}. Answer \\boxed{{the sentence}}."
        ), {}

    def step(self, action):
        self.turns += 1
        answer = unicodedata.normalize("NFKC", action).partition("boxed{")[2].partition("}")[0].strip().lower()
        if answer == self.line.plain:
            return "✓ deciphered", 1.0, True, False, {"turns": self.turns}
        near = difflib.SequenceMatcher(None, answer[:200], self.line.plain).ratio()
        if not answer:
            warnings.warn("an empty answer")
        return f"Not yet ({near:.0%} alike).", 0.0, False, self.turns >= 5, {"near": near}

    def solution(self):
        return "\\boxed{" + self.line.plain + "}"
