"""Modules that programs may import. All are imported before any process is confined: afterwards no file can be read.

The list is what honest environments use to compute and to format text, plus what those modules load lazily (a
traceback reads source lines, `strptime` has a module of its own, codecs are modules). Modules that reach the system are
not offered; the filter would stop them anyway.
"""

import importlib
import sys
import types
from typing import Final

# Programs of the released pools use these without importing them.
INJECTED: Final = (
    "random",
    "math",
    "re",
    "json",
    "string",
    "itertools",
    "functools",
    "collections",
    "copy",
    "heapq",
    "textwrap",
)

STANDARD: Final = (
    *INJECTED,
    "__future__",
    "abc",
    "array",
    "ast",
    "base64",
    "binascii",
    "bisect",
    "builtins",
    "calendar",
    "cmath",
    "codecs",
    "collections.abc",
    "colorsys",
    "contextlib",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "errno",
    "fractions",
    "graphlib",
    "hashlib",
    "hmac",
    "html",
    "inspect",
    "io",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "numbers",
    "operator",
    "pprint",
    "queue",
    "reprlib",
    "secrets",
    "statistics",
    "stringprep",
    "struct",
    "sys",
    "time",
    "timeit",
    "token",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "uuid",
    "warnings",
    "weakref",
    "zlib",
)

# Loaded lazily by the modules above or by the interpreter.
COMPANIONS: Final = (
    "_strptime",
    "encodings.ascii",
    "encodings.cp1252",
    "encodings.cp437",
    "encodings.hex_codec",
    "encodings.idna",
    "encodings.latin_1",
    "encodings.punycode",
    "encodings.rot_13",
    "encodings.unicode_escape",
    "encodings.utf_16",
    "encodings.utf_32",
    "encodings.utf_8",
    "encodings.utf_8_sig",
)


def allowed_modules(extra: tuple[str, ...] = ()) -> frozenset[str]:
    """Names that an `import` statement may name; a package allows its submodules when it is an extra module."""
    return frozenset((*STANDARD, *extra))


def preload(extra: tuple[str, ...] = ()) -> dict[str, types.ModuleType]:
    """Imports everything, then takes the import system's road to the file system away.

    Returns the modules injected into every program, by name. Raises ImportError when an extra module is not installed.
    """
    for name in (*STANDARD, *COMPANIONS, *extra):
        importlib.import_module(name)
    if "math_verify" in extra:
        _warm_up_math_verify()
    "".encode("idna")
    sys.path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    return {name: sys.modules[name] for name in INJECTED}


def _warm_up_math_verify() -> None:
    """One parse loads its grammar files, which no confined process could open later."""
    module = sys.modules["math_verify"]
    parse, verify = module.parse, module.verify
    verify(parse("$1$", parsing_timeout=None), parse("$1$", parsing_timeout=None), timeout_seconds=None)
