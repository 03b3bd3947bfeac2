"""Programs up to what does not change the game: names of classes and variables, comments, docstrings, method order.

Each method and each top-level statement becomes a token list in which a name is replaced by the order of its first
appearance in that piece; a class is the sorted list of its pieces. Names that mean something outside the program
(builtins, attributes of other objects, keywords of calls, the contract's methods) stay.
"""

import ast
import builtins
import hashlib
import zlib
from collections.abc import Iterator
from typing import Final

SKETCH_SIZE: Final = 64
SHINGLE_TOKENS: Final = 5
_CONTRACT: Final = frozenset(
    {"__init__", "reset", "step", "solution", "get_tools", "execute_tool", "evaluate", "close", "seed", "max_turns"}
)
_KEPT_NAMES: Final = frozenset(dir(builtins)) | _CONTRACT | {"ToolUseBaseEnv"}
_MASK: Final = 0xFFFFFFFF


class _Tokens:
    """Token list of one piece of a program."""

    def __init__(self, modules: frozenset[str]) -> None:
        self.tokens: list[str] = []
        self._kept = _KEPT_NAMES | modules
        self._numbers: dict[str, str] = {}

    def _rename(self, name: str) -> str:
        return name if name in self._kept else self._numbers.setdefault(name, f"v{len(self._numbers)}")

    def visit(self, node: ast.AST) -> None:
        self.tokens.append(type(node).__name__)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self.tokens.append(node.name if node.name in self._kept else "name")
            self._visit_fields(node, skip=("name", "body", "returns", "type_comment", "type_params"))
            for statement in _without_docstring(node.body):
                self.visit(statement)
        elif isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id == "self"
            self.tokens.append(self._rename(f"self.{node.attr}") if own and node.attr not in _CONTRACT else node.attr)
            self.visit(node.value)
        elif isinstance(node, ast.Name):
            self.tokens.append(self._rename(node.id))
        elif isinstance(node, ast.arg):
            self.tokens.append(self._rename(node.arg))
        elif isinstance(node, ast.Constant):
            self.tokens.append(f"{type(node.value).__name__}:{node.value!r}"[:200])
        else:
            self._visit_fields(node, skip=("ctx", "type_comment", "annotation", "kind"))

    def _visit_fields(self, node: ast.AST, skip: tuple[str, ...]) -> None:
        for field, value in ast.iter_fields(node):
            if field in skip or value is None:
                continue
            for item in value if isinstance(value, list) else [value]:
                if isinstance(item, ast.AST):
                    self.visit(item)
                else:
                    self.tokens.append(str(item))


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:]
    return body


def _modules(tree: ast.Module) -> frozenset[str]:
    names = (
        alias.asname or alias.name
        for n in ast.walk(tree)
        if isinstance(n, ast.Import | ast.ImportFrom)
        for alias in n.names
    )
    return frozenset(names)


def _pieces(tree: ast.Module) -> Iterator[list[str]]:
    modules = _modules(tree)
    for statement in _without_docstring(tree.body):
        parts: list[ast.AST] = [statement]
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        if isinstance(statement, ast.ClassDef):
            parts = [*statement.bases, *_without_docstring(statement.body)]
        for part in parts:
            piece = _Tokens(modules)
            piece.visit(part)
            yield piece.tokens


def syntax_hash(tree: ast.Module) -> str:
    """SHA-256 (hex) of the sorted pieces. Raises RecursionError on trees deeper than the interpreter allows."""
    digests = sorted(
        hashlib.sha256("\x1f".join(tokens).encode("utf-8", "backslashreplace")).digest() for tokens in _pieces(tree)
    )
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _mixed(value: int) -> int:
    value = ((value ^ (value >> 16)) * 0x45D9F3B) & _MASK
    value = ((value ^ (value >> 16)) * 0x45D9F3B) & _MASK
    return value ^ (value >> 16)


def sketch(tree: ast.Module) -> list[int]:
    """One-permutation min-hash of the token shingles: the share of equal positions estimates the Jaccard similarity.

    Each shingle is hashed once; its low bits choose the position, the smallest hash there stays; an empty position
    takes its next filled neighbour's (densification by rotation, Shrivastava and Li, ICML 2014). 64 unsigned 32-bit
    numbers.
    """
    bins: list[int | None] = [None] * SKETCH_SIZE
    for tokens in _pieces(tree):
        encoded = [token.encode("utf-8", "backslashreplace") for token in tokens]
        for start in range(max(1, len(encoded) - SHINGLE_TOKENS + 1)):
            value = _mixed(zlib.crc32(b"\x1f".join(encoded[start : start + SHINGLE_TOKENS])))
            position = value % SKETCH_SIZE
            if bins[position] is None or value < bins[position]:  # type: ignore[operator]
                bins[position] = value
    if all(value is None for value in bins):
        return [0] * SKETCH_SIZE
    return [_densified(bins, position) for position in range(SKETCH_SIZE)]


def _densified(bins: list[int | None], position: int) -> int:
    for distance in range(SKETCH_SIZE):
        value = bins[(position + distance) % SKETCH_SIZE]
        if value is not None:
            return (value + distance * 0x9E3779B1) & _MASK if distance else value
    return 0
