"""Tables on a terminal: every word stays, and no line is wider than the terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from vaulttools import Vault
from vaulttools.cli import table

CELLS = st.text(st.sampled_from("ab ü漢|é-"), max_size=12).map(str.strip)
TABLES = st.integers(1, 5).flatmap(
    lambda columns: st.lists(st.lists(CELLS, min_size=columns, max_size=columns), min_size=1, max_size=5)
)


def written(rows: list[list[str]]) -> str:
    """A table as the tools write it."""
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([lines[0], f"|{'---|' * len(rows[0])}", *lines[1:], ""])


@given(TABLES, st.sampled_from([46, 60, 100]))
def test_every_cell_is_shown_within_the_width(rows: list[list[str]], width: int) -> None:
    shown = table.laid_out(written(rows), width)
    assert all(len(line) <= width for line in shown.split("\n"))
    signs = re.sub(r"\s", "", shown)
    for row in rows[1:]:
        for cell in row:
            assert all(word in signs for word in cell.split())


@pytest.mark.parametrize("width", [46, 60, 100])
def test_a_base_is_laid_out_and_the_rest_of_its_text_stays(width: int) -> None:
    with Vault.open(FIXTURES / "vault") as vault:
        text = vault.base(where='file.hasTag("project")', columns=["file.path", "status", "tags"]).text
    first, *_ = shown = table.laid_out(text, width).split("\n")
    assert first == text.split("\n", 1)[0]
    assert max(len(line) for line in shown if not line.startswith("[")) <= width  # notices stay as they are
    assert all(word in " ".join(shown) for word in ("Projects/Label", "printer.md", "#project/seed-library"))


def test_a_text_without_a_table_is_left_alone() -> None:
    text = "a | b\n| not | one |\n|:--|--:|\n| 1 | 2 |\n"
    assert table.laid_out(text, 46) == text
