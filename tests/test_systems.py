"""Which tests are left out on Windows and under Wine, and whether the table of calls that differ is right."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests import on_a_macs_disk
from tests.systems import reason_of
from tests.test_docs import REPOSITORY
from tests.test_reliability import names_of_tests

WINDOWS = pytest.mark.not_on_windows("a FIFO is no file there").mark
WINE = pytest.mark.not_under_wine("it has no console").mark


@pytest.mark.parametrize(
    ("marker", "windows", "wine", "expected"),
    [
        (WINDOWS, False, False, None),
        (WINDOWS, True, False, "Windows: a FIFO is no file there"),
        (WINDOWS, True, True, "Windows: a FIFO is no file there"),
        (WINE, False, False, None),
        (WINE, True, False, None),
        (WINE, True, True, "Wine: it has no console"),
    ],
)
def test_a_test_is_left_out_where_what_it_needs_is_lacking(
    marker: pytest.Mark, windows: bool, wine: bool, expected: str | None
) -> None:
    assert reason_of([pytest.mark.registry.mark, marker], windows=windows, wine=wine) == expected


# The table of calls


@cache
def table() -> list[list[str]]:
    """The rows of `tests/systems.md`, with the names in each cell that are code."""
    text = (REPOSITORY / "tests" / "systems.md").read_text(encoding="utf-8")
    return [row.strip("|").split("|") for row in text.split("\n") if row.startswith("|")][2:]


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("row", table(), ids=lambda row: row[0])
def test_a_row_of_the_table_names_modules_and_tests_that_exist(row: list[str]) -> None:
    *_, modules, tests = row
    assert len(row) == 6 and named(modules) and named(tests)
    assert [name for name in named(modules) if not (REPOSITORY / "vaulttools" / f"{name}.py").is_file()] == []
    written = names_of_tests() | {name for name in vars(on_a_macs_disk) if name.startswith("test_")}
    assert {*named(tests)} <= written


def test_no_module_uses_the_calls_that_the_table_calls_unused() -> None:
    *_, sentence = (REPOSITORY / "tests" / "systems.md").read_text(encoding="utf-8").strip().split("\n")
    unused = named(sentence)
    texts = {path: path.read_text(encoding="utf-8") for path in (REPOSITORY / "vaulttools").rglob("*.py")}
    assert unused and [(path, name) for path, text in texts.items() for name in unused if name in text] == []
