"""Faults of a generated program, as the harness sees them: a reason code of `shared/contracts` and a line of detail."""

import builtins
from types import TracebackType
from typing import Final

MAX_DETAIL: Final = 300
ENVIRONMENT_FILE: Final = "<environment>"
_BUILTIN_EXCEPTIONS: Final = frozenset(
    value for value in vars(builtins).values() if isinstance(value, type) and issubclass(value, BaseException)
)


class Fault(Exception):
    """What the program did wrong. `reason` is a stable code, `detail` one printable line."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail[:MAX_DETAIL]


def one_line(text: str, limit: int = MAX_DETAIL) -> str:
    """`text` cut to `limit` characters, unprintable ones escaped: safe for a log line and for a prompt."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "replace").decode() for c in text[:limit])[
        :limit
    ]


def _line_of(traceback: TracebackType | None) -> int | None:
    line = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == ENVIRONMENT_FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def describe(error: BaseException) -> str:
    """Type, message and line of an exception without running any code that the program wrote.

    A message is shown only for the interpreter's own exception types with plain arguments: `__str__` of anything else
    may loop, allocate or lie.
    """
    name = one_line(type.__dict__["__name__"].__get__(type(error)), 80)
    text = name
    if type(error) in _BUILTIN_EXCEPTIONS:
        arguments = vars(BaseException)["args"].__get__(error)
        plain = [a for a in arguments if type(a) is str or (type(a) is int and a.bit_length() < 64)]
        if plain and len(plain) == len(arguments):
            text = f"{name}: " + one_line(", ".join(str(a)[:MAX_DETAIL] for a in plain))
    line = _line_of(vars(BaseException)["__traceback__"].__get__(error))
    return (text if line is None else f"{text} (line {line})")[:MAX_DETAIL]


def fault_of(error: BaseException, phase: str) -> Fault:
    """The fault that an exception amounts to. `phase` is `import`, `construct` or `run`."""
    if isinstance(error, Fault):
        return error
    detail = describe(error)
    if isinstance(error, MemoryError):
        return Fault("limit.memory", detail)
    if type(error) is PermissionError:
        return Fault("policy.file", detail)
    if phase == "import":
        if isinstance(error, ImportError):
            return Fault("import.missing", detail)
        return Fault("import.exception" if isinstance(error, Exception) else "import.exit", detail)
    if isinstance(error, SystemExit):
        return Fault("crash.exit", detail)
    return Fault("class.construct" if phase == "construct" else "env.exception", detail)
