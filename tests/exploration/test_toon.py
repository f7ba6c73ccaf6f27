"""Values and rows of the TOON-like form: one row is one line, and says what it was made of."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.exploration import toon
from vaulttools.exploration.toon import Count


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("AuthConfig", "AuthConfig"),
        ("a_b-c.d/e=f", "a_b-c.d/e=f"),
        (".", "."),
        ("", '""'),
        ("a b", '"a b"'),
        ("a,b", '"a,b"'),
        ("é", '"é"'),
        ('say "x" \\ y', r'"say \"x\" \\ y"'),
        ("a\nb\rc\td", r'"a\nb\rc\td"'),
        ("\x00\x1b\x7f\x85", r'"\u0000\u001b\u007f\u0085"'),
        ("a\u202eb\u200dc", r'"a\u202eb\u200dc"'),
        ("\U000e0041", r'"\udb40\udc41"'),
        ("a\n", r'"a\n"'),
        ("b\udcff", r'"b\\xff"'),
    ],
)
def test_values(text: str, value: str) -> None:
    assert toon.value(text) == value


@given(st.text(st.characters(codec="utf-8")))
def test_fault_O03_a_value_is_one_line_and_reads_back(text: str) -> None:
    value = toon.value(text)
    assert value.splitlines() == [value]
    assert (json.loads(value) if value.startswith('"') else value) == text


@given(
    st.lists(st.text(st.characters(codec="utf-8"), max_size=1_200) | st.builds(Count, st.integers(0), st.booleans()))
)
def test_a_row_has_at_most_800_bytes_and_keeps_its_counts(cells: list[str | Count]) -> None:
    row = toon.row(4, *cells[:4])
    assert len(row.encode()) <= 800
    assert row.splitlines() in ([row], [])
    assert all(cell.cell in row for cell in cells[:4] if isinstance(cell, Count))


def test_long_texts_give_way_to_counts() -> None:
    row = toon.row(2, "é" * 900, Count(50_000, at_least=True), 3, "x" * 900)
    assert row.startswith('  "ééé') and row.endswith("x...") and '...",>=50000,3,xxx' in row
    assert 780 < len(row.encode()) <= 800
