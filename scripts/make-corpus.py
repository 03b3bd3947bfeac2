"""Makes the example grounding corpus from text that ships with this machine's own Python.

Each document is the prose of one module's, class's or function's documentation in the standard library, with provenance
(module, object, Python version). Usage: python scripts/make-corpus.py OUT.jsonl
"""

from __future__ import annotations

import ast
import json
import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

MIN_WORDS = 40
MAX_WORDS = 1200
SKIPPED = {"test", "tests", "idlelib", "lib2to3", "site-packages", "turtledemo", "ensurepip", "__pycache__"}


def documents(standard_library: Path) -> Iterator[dict[str, str]]:
    """Yield one record per documented object, in the order of file names and of lines; sources that do not parse are passed over."""
    for path in sorted(standard_library.rglob("*.py")):
        parts = path.relative_to(standard_library).parts
        if SKIPPED & set(parts):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError, UnicodeDecodeError):
            continue
        module = ".".join(parts).removesuffix(".py").removesuffix(".__init__")
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                text = prose(ast.get_docstring(node) or "")
                if MIN_WORDS <= len(text.split()) <= MAX_WORDS:
                    yield {"text": text, "module": module, "object": getattr(node, "name", module)}


def prose(docstring: str) -> str:
    """Leave out interactive sessions and rulers, and join the rest into one run of words."""
    lines = [line for line in docstring.splitlines() if not re.match(r"\s*(>>>|\.\.\.|[=\-~^*]{3,}\s*$)", line)]
    return " ".join(" ".join(lines).split())


def main() -> None:
    """Write the corpus named on the command line, atomically."""
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/make-corpus.py OUT.jsonl")
    out = Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    python = f"Python {sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro} standard library"
    seen: set[str] = set()
    temporary = out.with_suffix(".tmp")
    with temporary.open("w", encoding="utf-8") as stream:
        for record in documents(Path(sysconfig.get_paths()["stdlib"])):
            if record["text"] in seen:
                continue
            seen.add(record["text"])
            stream.write(json.dumps({**record, "source": python}, ensure_ascii=False) + "\n")
    temporary.replace(out)
    print(f"  {len(seen)} documents in {out.name}")


if __name__ == "__main__":
    main()
