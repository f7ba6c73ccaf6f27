"""Every citation leads to something that is in the repository: an id of a rule or a fault, a page, a file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from tests import test_reliability, test_rules

REPOSITORY = Path(__file__).parent.parent

IDS: Final = frozenset((*test_rules.IDS, *test_reliability.IDS))

_WITHOUT_PREFIX: Final = re.compile(r"(?<![\w.#/\-{}%$])[A-Z][0-9]{2}(?![\w\-=:])")
_ELSEWHERE: Final = re.compile(
    r"\b[Ss]pec [0-9]|\bspec\.md|\b[Ss]eeds? 00[0-9]|\bfaults\.md|\bformats-survey|\bobsidian-rules"
    r"|\bhouse\.md|\bstyle\.md|\brest-api\.md|(?<!/)\bdesign\.md|\.\./shared/[a-z]+(?:-[a-z]+)*\.md|\"Facts\" [0-9]"
)
"""Texts of the project's planning, which are not in the repository."""

_PREFIXED: Final = re.compile(r"\b(?:rule|fault)-[A-Z][0-9]{2}\b")


@cache
def texts() -> dict[str, str]:
    """What people wrote of the repository, by path: code, tests and pages; no data, such as a vault for the
    benchmarks, and not this module."""
    folders = (REPOSITORY / name for name in ("vaulttools", "tests", "docs", "benchmarks"))
    paths = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".md", ".ts", ".toml")]
    paths += [
        REPOSITORY / name for name in ("README.md", "Makefile", "pyproject.toml", ".ci/run", "fixtures/README.md")
    ]
    written = {path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    data = ("tests/test_citations.py", "benchmarks/personal/", "benchmarks/german/")
    return {name: text for name, text in written.items() if not name.startswith(data)}


def found(pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern occurs, as `path:line: text`."""
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for name, text in texts().items()
        for match in pattern.finditer(text)
    ]


def test_an_id_says_whether_it_is_a_rule_or_a_fault() -> None:
    """`S05` was both: a substring search and a failing read."""
    bare = {identifier.rpartition("-")[2] for identifier in IDS}
    places = [place for place in found(_WITHOUT_PREFIX) if place.rpartition(" ")[2] in bare]
    # There they are parts of names: tuples of forms, and the last id of each letter.
    assert [each for each in places if not each.startswith(("tests/test_protection.py", "tests/test_rules.py"))] == []


def test_every_cited_id_exists() -> None:
    assert [place for place in found(_PREFIXED) if place.rpartition(" ")[2] not in IDS] == []


def test_everything_cited_is_in_the_repository() -> None:
    """Citations name a page of `docs/` or an id; otherwise the reason is written in place."""
    assert found(_ELSEWHERE) == []
