"""`tests/promises.md` has every row of the fault catalogue, and tests bear the ids of the rows."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.test_docs import REPOSITORY

ROWS = {"P": 20, "N": 12, "T": 15, "C": 20, "R": 15, "Y": 15, "O": 11, "M": 14, "I": 24, "S": 7, "Z": 7}
"""The rows of each section of the catalogue, numbered from 01."""
IDS = [f"fault-{section}{number:02}" for section, count in ROWS.items() for number in range(1, count + 1)]

_ROW = re.compile(r"^- \*\*(fault-[A-Z]\d\d)\*\* (.+)$", re.MULTILINE)


@cache
def page() -> dict[str, str]:
    """The promise for each row."""
    return dict(_ROW.findall((REPOSITORY / "tests" / "promises.md").read_text(encoding="utf-8")))


@cache
def names_of_tests() -> frozenset[str]:
    """The names of all test functions."""
    texts = (path.read_text(encoding="utf-8") for path in (REPOSITORY / "tests").rglob("test_*.py"))
    return frozenset(name for text in texts for name in re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE))


def rows_of(test: str) -> set[str]:
    """The rows that a test's name cites: `test_faults_N01_to_N04_…`, `test_faults_C18_and_O03_…`."""
    words = test.removeprefix("test_faults_").removeprefix("test_fault_").split("_")
    named: list[str] = []
    for word, before in zip(words, ["", *words], strict=False):
        if re.fullmatch(r"[A-Z]\d\d", word):
            first = int(named[-1][1:]) + 1 if before == "to" else int(word[1:])
            named += [f"{word[0]}{number:02}" for number in range(first, int(word[1:]) + 1)]
        elif word not in ("to", "and"):
            break
    return {f"fault-{row}" for row in named}


def test_every_row_of_the_catalogue_has_its_place() -> None:
    assert list(page()) == IDS


@pytest.mark.parametrize("row", IDS)
def test_a_row_has_a_test_that_bears_its_id_or_gives_a_reason(row: str) -> None:
    shown = [test for test in names_of_tests() if re.match(r"test_faults?_[A-Z]\d\d", test) and row in rows_of(test)]
    assert shown or "*Decision:*" in page()[row]


def test_every_test_that_bears_an_id_bears_one_of_the_catalogue() -> None:
    for test in names_of_tests():
        if re.match(r"test_faults?_[A-Z]\d\d", test):
            assert rows_of(test) <= set(IDS), test
            assert rows_of(test), test
