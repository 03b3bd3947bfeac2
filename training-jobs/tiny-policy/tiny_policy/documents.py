"""Grounding documents for the recipe: documentation of Python's own standard library, in short excerpts."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from random import Random
from types import ModuleType
from zlib import crc32

EXCERPT_WORDS = 12
"""Length of an excerpt; experiments with this policy cut their documents to the same number of words."""

LISTED = """
abc argparse array ast asyncio base64 bisect calendar cmd codecs collections configparser contextlib copy csv
dataclasses datetime decimal difflib dis email enum fileinput fnmatch fractions ftplib functools getpass gettext
glob graphlib gzip hashlib heapq hmac html http inspect io ipaddress itertools json keyword linecache locale logging
lzma mailbox math mimetypes netrc numbers operator os pathlib pickle platform pprint profile queue random re sched
secrets selectors shelve shlex shutil signal socket sqlite3 ssl stat statistics string struct subprocess tarfile
tempfile textwrap threading time timeit token tokenize trace traceback types typing unittest urllib uuid warnings
wave weakref xml zipfile zoneinfo
"""

MODULES = tuple(LISTED.split())


def described(module: ModuleType) -> Iterator[str]:
    """The docstrings of a module, its public functions and classes, and the methods of those, in name order."""
    yield inspect.getdoc(module) or ""
    for name, value in sorted(vars(module).items()):
        if name.startswith("_") or not (inspect.isclass(value) or callable(value)):
            continue
        yield inspect.getdoc(value) or ""
        if inspect.isclass(value):
            for attribute, member in sorted(vars(value).items()):
                if not attribute.startswith("_"):
                    yield inspect.getdoc(member) or ""


@cache
def documents() -> tuple[str, ...]:
    """Every docstring of at least one excerpt's length, each once, in a fixed order for one version of Python."""
    texts = (text for name in MODULES for text in described(importlib.import_module(name)))
    return tuple(dict.fromkeys(text for text in texts if len(text.split()) >= EXCERPT_WORDS))


def excerpt(rng: Random) -> str:
    """Twelve words of a random document: its beginning half of the time, else any twelve in a row."""
    words = rng.choice(documents()).split()
    start = 0 if rng.random() < 0.5 else rng.randint(0, len(words) - EXCERPT_WORDS)
    return " ".join(words[start : start + EXCERPT_WORDS])


def held_out(word: str) -> bool:
    """Whether a word is kept for the benchmark and never becomes a noun in training."""
    return crc32(word.encode()) % 8 == 0


def nouns(text: str) -> list[str]:
    """The words of a text that a program may be about: lower-case words of 4 to 9 letters."""
    return re.findall(r"(?<![\w.\\])[a-z]{4,9}(?![\w.(])", text)


def grounding(text: str, rng: Random) -> tuple[str, int]:
    """A training noun and the first number below 100 of a text ('item' and 0 where it has none)."""
    words = [word for word in nouns(text) if not held_out(word)]
    found = [int(run) for run in re.findall(r"(?<!\d)\d{1,2}(?!\d)", text)]
    return (rng.choice(words) if words else "item"), (found[0] if found else 0)
