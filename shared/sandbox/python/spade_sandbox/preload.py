"""Modules that programs may import. All are imported before any process is confined: afterwards no file can be read.

The list is what honest environments use to compute and to format text, plus what those modules load lazily (a
traceback reads source lines, `strptime` has a module of its own, codecs are modules). Modules that reach the system are
not offered; the filter would stop them anyway.
"""

import functools
import importlib
import os
import sys
from typing import Any, Final

from .values import coerce_scalars_of

# Modules that programs of the released pools use without importing them.
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
    "operator",
    "statistics",
)

# Members of modules that they use likewise; the reference puts the same names into every program.
INJECTED_MEMBERS: Final = {
    "collections": ("deque", "defaultdict", "Counter", "OrderedDict", "namedtuple"),
    "itertools": ("combinations", "permutations", "product", "chain", "accumulate"),
    "functools": ("reduce", "lru_cache"),
    "copy": ("deepcopy",),
    "heapq": ("heappush", "heappop"),
    "typing": (
        *("Tuple", "Dict", "List", "Set", "FrozenSet", "Optional", "Union", "Any"),
        *("Callable", "Iterable", "Sequence", "Mapping"),
    ),
}

# The name under which a program may import the base class of tool use.
TOOL_USE_MODULE: Final = "tool_use_base_env"

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
    "pprint",
    "queue",
    "reprlib",
    "secrets",
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

# Parts of extra modules that they import lazily, which a confined process could not.
PARTS: Final = {
    "numpy": ("fft", "linalg", "ma", "polynomial", "random"),
}

ONE_THREAD: Final = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def allowed_modules(extra: tuple[str, ...] = ()) -> frozenset[str]:
    """Names that an `import` statement may name; a package allows its submodules when it is an extra module."""
    return frozenset((*STANDARD, TOOL_USE_MODULE, *extra))


def preload(extra: tuple[str, ...] = ()) -> dict[str, object]:
    """Imports everything, then takes the import system's road to the file system away.

    Returns what is injected into every program, by name. Raises ImportError when an extra module is not installed.
    """
    for name in (*STANDARD, *COMPANIONS):
        importlib.import_module(name)
    _import_extra(extra)
    if "math_verify" in extra:
        _tame_math_verify()
    if "numpy" in extra:
        coerce_scalars_of(sys.modules["numpy"])
    "".encode("idna")
    sys.path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    return injected_names(extra)


def _import_extra(extra: tuple[str, ...]) -> None:
    """Libraries of linear algebra read the number of their threads when they are loaded; a process may start none."""
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    for name in extra:
        importlib.import_module(name)
        for part in PARTS.get(name, ()):
            importlib.import_module(f"{name}.{part}")
    for variable in ONE_THREAD:
        del os.environ[variable]


def injected_names(extra: tuple[str, ...] = ()) -> dict[str, object]:
    """Modules and members that every program finds under their names; numpy also as `np`, where it is preloaded."""
    names: dict[str, object] = {name: importlib.import_module(name) for name in INJECTED}
    for module, members in INJECTED_MEMBERS.items():
        names.update({member: getattr(importlib.import_module(module), member) for member in members})
    if "numpy" in extra:
        names.update({"np": sys.modules["numpy"], "numpy": sys.modules["numpy"]})
    return names


def _tame_math_verify() -> None:
    """Switches the time-outs of math-verify off, which want signals; the supervisor's deadlines hold anyway.

    One comparison loads its grammar files, which no confined process could open later.
    """
    module: Any = sys.modules["math_verify"]
    module.parse = functools.partial(module.parse, parsing_timeout=None)
    module.verify = functools.partial(module.verify, timeout_seconds=None)
    module.verify(module.parse("$1$"), module.parse("1"))
