"""Values, rows and lines of at most 800 bytes: never cut inside a character, cut around the first match."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.core import render
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
def test_a_value_is_quoted_only_where_it_must_be(text: str, value: str) -> None:
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


def test_long_texts_are_cut_to_make_room_for_counts() -> None:
    row = toon.row(2, "é" * 900, Count(50_000, at_least=True), 3, "x" * 900)
    assert row.startswith('  "ééé') and row.endswith("x...") and '...",>=50000,3,xxx' in row
    assert 780 < len(row.encode()) <= 800


TEXT = st.text(st.characters(codec="utf-8"), max_size=900) | st.integers(0, 3_000).map(
    lambda size: "é日x"[size % 3] * size
)


def size(text: str) -> int:
    """UTF-8 bytes."""
    return len(text.encode())


@given(TEXT)
def test_a_line_is_whole_or_a_marked_beginning_of_at_most_800_bytes(text: str) -> None:
    shown = toon.clipped(text)
    assert size(shown) <= 800
    assert shown == text if size(text) <= 800 else text.startswith(shown.removesuffix("..."))


@given(st.data(), TEXT, st.integers(1, 10**9))
def test_a_note_line_shows_its_first_match(data: st.DataObject, text: str, number: int) -> None:
    text = text.rstrip()
    first = data.draw(st.integers(0, max(0, len(text) - 1)))
    head = f"  {number}:"
    shown = toon.note_line(head, text, first)
    assert size(shown) <= 800
    assert shown.startswith(head)
    inside = shown.removeprefix(f"{head} ").removeprefix("...").removesuffix("...")
    if size(f"{head} {render.visible(text)}") <= 800:
        assert shown == (f"{head} {render.visible(text)}" if text else head)
    elif text.isprintable():
        assert inside in text
        assert text[first] in inside


@pytest.mark.parametrize(
    ("text", "first", "shown"),
    [
        ("", None, "  2-"),
        ("a  \t", None, "  2- a"),
        ("é" * 397 + "x", None, "  2- " + "é" * 397 + "x"),
        ("é" * 398, None, "  2- " + "é" * 396 + "..."),
        ("é" * 900 + "token", 900, "  2- ..." + "é" * 60 + "token"),
        ("é" * 900 + "token", 3, "  2- " + "é" * 396 + "..."),
        ("a\x1bb", 0, "  2- a\\x1bb"),
    ],
)
def test_a_line_of_a_note_is_cut_around_its_first_match(text: str, first: int | None, shown: str) -> None:
    assert toon.note_line("  2-", text, first) == shown


def test_fault_C09_a_line_of_20_mb_is_clipped_at_once() -> None:
    text = "a" * 20_000_000
    assert toon.note_line("  1:", text + "token", len(text)) == f"  1: ...{'a' * 60}token"
