"""Words that one may be a misspelling of."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.ranked.corrections import distance

WORDS = st.text("abc", max_size=7)


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [
        ("note", "note", 0),
        ("note", "nota", 1),
        ("note", "notes", 1),
        ("note", "ote", 1),
        ("note", "ntoe", 1),
        ("palete", "palette", 1),
        ("lighthuose", "lighthouse", 1),
        ("obsidain", "obsidian", 1),
    ],
)
def test_how_far_two_words_are_apart(one: str, other: str, far: int) -> None:
    assert distance(one, other, 2) == far


@given(WORDS, WORDS, st.integers(1, 2))
def test_the_distance_is_that_of_the_definition(one: str, other: str, most: int) -> None:
    @cache
    def defined(i: int, j: int) -> int:
        if not (i and j):
            return i + j
        ways = [
            defined(i - 1, j) + 1,
            defined(i, j - 1) + 1,
            defined(i - 1, j - 1) + (one[i - 1] != other[j - 1]),
        ]
        if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
            ways.append(defined(i - 2, j - 2) + 1)
        return min(ways)

    exact = defined(len(one), len(other))
    found = distance(one, other, most)
    assert found == exact if exact <= most else found > most
