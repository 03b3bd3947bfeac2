"""What can be said of a program without running it: its class, its imports, its normalised tree.

Refusals here are a convenience that gives the designer a clear reason early; nothing depends on them for safety.
The source is parsed in a process of its own, because a parser can be made to exhaust its stack or its memory.
"""

import ast
import unicodedata
from typing import Any

from .faults import Fault, fault_of
from .normalise import sketch, syntax_hash
from .preload import STANDARD

MAX_NODES = 40_000
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
_IMPORT_FUNCTIONS = frozenset({"__import__", "import_module"})
# Names that have no use in a game and are the usual first step of an escape.
_FORBIDDEN_CALLS = frozenset({"breakpoint", "exec", "eval", "compile", "open", "input"})


def parse(source: str) -> ast.Module:
    """The tree. Faults: source.empty, source.syntax, source.too_complex."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise Fault("source.syntax", fault_of(error, "run").detail) from None
    except (RecursionError, MemoryError):
        raise Fault("source.too_complex", "the parser gave up") from None
    if not tree.body:
        raise Fault("source.empty", "the program has no statements")
    return tree


def imported_modules(nodes: list[ast.AST]) -> set[str]:
    """Full names of the modules that import statements, and calls that look like imports, name."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module if node.module and node.level == 0 else ".")
        elif isinstance(node, ast.Call) and _called_name(node) in _IMPORT_FUNCTIONS:
            argument = node.args[0] if node.args else None
            constant = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
            names.add(str(argument.value) if constant else "importlib")  # type: ignore[union-attr]
    return {unicodedata.normalize("NFKC", name) for name in names}


def _called_name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _check_imports(modules: set[str], allowed: frozenset[str]) -> None:
    for name in sorted(modules):
        top = name.partition(".")[0]
        if name in allowed or (top in allowed and top not in STANDARD):
            continue
        raise Fault("import.forbidden", f"programs may not import {name[:80]}")


def _check_calls(nodes: list[ast.AST]) -> None:
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FORBIDDEN_CALLS:
            raise Fault("import.forbidden", f"programs may not call {node.func.id} (line {node.lineno})")


def environment_classes(tree: ast.Module) -> list[ast.ClassDef]:
    """Top-level classes named …Env that no other such class derives from."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name.endswith("Env")]
    bases = {base.id for node in classes for base in node.bases if isinstance(base, ast.Name)}
    return [node for node in classes if node.name not in bases]


def _methods(node: ast.ClassDef, tree: ast.Module) -> set[str]:
    by_name = {c.name: c for c in tree.body if isinstance(c, ast.ClassDef)}
    names: set[str] = set()
    seen: set[str] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        seen.add(current.name)
        names.update(n.name for n in current.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
        parents = [base.id for base in current.bases if isinstance(base, ast.Name)]
        names.update({"reset", "step"} if "ToolUseBaseEnv" in parents else ())
        waiting.extend(by_name[parent] for parent in parents if parent in by_name and parent not in seen)
    return names


def _warnings(source: str, nodes: list[ast.AST]) -> list[str]:
    warnings = ["source.bidi"] if any(c in _BIDI_CONTROLS for c in source) else []
    reads_seed = sum(isinstance(node, ast.Name) and node.id == "seed" for node in nodes)
    return warnings if reads_seed else [*warnings, "seed.unread"]


def analyse(source: str, allowed: frozenset[str]) -> dict[str, Any]:
    """The facts of `SourceFacts` in `shared/sandbox/types.ts`.

    Faults: source.*, import.forbidden, class.missing, class.ambiguous.
    """
    tree = parse(source)
    nodes = list(ast.walk(tree))
    if len(nodes) > MAX_NODES:
        raise Fault("source.too_complex", f"the program has {len(nodes)} syntax nodes")
    modules = imported_modules(nodes)
    _check_imports(modules, allowed)
    _check_calls(nodes)
    classes = environment_classes(tree)
    complete = [c for c in classes if {"reset", "step"} <= _methods(c, tree)]
    if not complete:
        raise Fault("class.missing", "no class whose name ends in Env has reset and step")
    if len(complete) > 1:
        raise Fault("class.ambiguous", "several environment classes: " + ", ".join(c.name for c in complete[:5]))
    try:
        digest, shingles = syntax_hash(tree), sketch(tree)
    except RecursionError:
        raise Fault("source.too_complex", "the tree is too deep") from None
    return {
        "title": complete[0].name,
        "imports": sorted({name.partition(".")[0] for name in modules}),
        "syntaxHash": digest,
        "shingles": shingles,
        "nodes": len(nodes),
        "lines": source.count("\n") + 1,
        "bytes": len(source.encode()),
        "methods": sorted(_methods(complete[0], tree)),
        "warnings": _warnings(source, nodes),
    }
