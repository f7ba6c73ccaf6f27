"""Collects the sentences that the product can say: every text in the code that is written for a reader.

`docs/generate.py` writes them to `fixtures/sentences.txt`, so that they can be read, and reviewed, in one place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import vaulttools

PACKAGE = Path(vaulttools.__file__).parent

SILENT = (
    "cli/completion",
    "core/moment",
    "core/own_python",
    "index/file",
    "index/store",
    "notes/function_words",
    "ranked/light_words",
)
"""Modules whose texts are scripts for shells and Python, formats, SQL and lists of words."""

_WORDS = re.compile(r"[A-Za-z{}'’`,;:)]+ [a-z{(`'][^\n]* |[A-Z][a-z]+ [^\n]*[.:]$|^\{[^}]*\} [a-z]+")
"""Texts that read as a sentence or as a part of one; names, options, SQL and regexes do not."""

_OF_MACHINES = re.compile(
    r"SELECT |INSERT |UPDATE |DELETE |CREATE |PRAGMA |DROP |BEGIN |\(\?|\\[swdbpA-Z]|^--|^[a-z_]+=|=\{|<[a-z/!]"
)
_KEYWORDS = frozenset(("description", "summary", "examples", "pattern", "title"))
"""Arguments whose texts stand in the definitions and the documentation already."""


def sentences() -> str:
    """All sentences, a line each under the module that says them; `{…}` is what differs from call to call."""
    blocks = []
    for path in sorted(PACKAGE.rglob("*.py")):
        module = path.relative_to(PACKAGE).with_suffix("").as_posix()
        if module in SILENT:
            continue
        said = list(dict.fromkeys(_said(ast.parse(path.read_text(encoding="utf-8")))))
        if said:
            blocks.append("\n".join([f"# {module}", *said]))
    return "\n\n".join(blocks) + "\n"


def _said(tree: ast.Module) -> Iterator[str]:
    for text in _texts(tree):
        for line in text.split("\n"):
            if _WORDS.search(line) and not _OF_MACHINES.search(line):
                yield line.strip()


def _texts(node: ast.AST) -> Iterator[str]:
    """The texts below a node, in order; a docstring, an annotation and an explained keyword hold none."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
                continue
            if isinstance(child, ast.keyword) and child.arg in _KEYWORDS:
                continue
            if isinstance(child, ast.JoinedStr | ast.Constant):
                if text := _template(child):
                    yield text
                if isinstance(child, ast.JoinedStr):
                    for part in child.values:
                        if isinstance(part, ast.FormattedValue):
                            yield from _texts(part)
            elif isinstance(child, ast.AST):
                yield from _texts(child)


def _template(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else f"{{{_name(part)}}}" for part in node.values)


def _name(part: ast.expr) -> str:
    assert isinstance(part, ast.FormattedValue)
    if isinstance(part.value, ast.IfExp):
        return "…"
    nodes = [node for node in ast.walk(part.value) if isinstance(node, ast.Name | ast.Attribute)]
    names = [node.id if isinstance(node, ast.Name) else node.attr for node in nodes]
    return names[0] if len(names) == 1 else "…"
