"""The English of the repository: no comment, docstring or page has words that make a reader parse a sentence twice."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
HARD = re.compile(r"\b(?:of which|none (?:is|are)|(?:is|are|was|were|be|been) told|stands?(?! for\b|-in)|stood)\b")
WRITTEN = ("vaulttools", "docs", "benchmarks", "distribution", "fixtures", "tests")
GIVEN = (
    "benchmarks/personal/vault/",
    "benchmarks/german/vault/",
    "docs/examples/",
    "fixtures/vault/",
    "fixtures/cases/",
    "tests/test_english.py",
)
"""Notes of people, and words that something else prints."""


def texts() -> Iterator[tuple[str, str]]:
    """The modules and pages of the repository: path and text."""
    for file in [REPOSITORY / "README.md", *(file for folder in WRITTEN for file in (REPOSITORY / folder).rglob("*"))]:
        path = file.relative_to(REPOSITORY).as_posix()
        if path.endswith((".py", ".md")) and not path.startswith(GIVEN):
            yield path, file.read_text(encoding="utf-8")


def sentences(path: str, text: str) -> Iterator[tuple[int, str]]:
    """What people read of it: line, from 1, and text. Of a module the comments and docstrings."""
    if path.endswith(".md"):
        yield from enumerate(text.splitlines(), 1)
        return
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.COMMENT or is_docstring:
            yield from enumerate(token.string.splitlines(), token.start[0])
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type


def test_no_sentence_has_words_that_are_hard_to_parse() -> None:
    found = [
        f"{path}:{line}: {sentence.strip()}"
        for path, text in texts()
        for line, sentence in sentences(path, text)
        if HARD.search(sentence)
    ]
    assert found == []
