"""The quantities that a text names."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.notes import quantities
from vaulttools.notes.quantities import Quantity, named

NONE, NUMBER, DATE, PRICE = Quantity.NONE, Quantity.NUMBER, Quantity.DATE, Quantity.PRICE


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("no quantity here", NONE),
        ("a buffer of 64k by default", NUMBER),
        ("at least twenty-five licenses", NUMBER),
        ("a factor of 3.5", NUMBER),
        ("1. the number of a list item\n2) and the next one", NONE),
        ("1. of 12", NUMBER),
        ("version v2 and `utf8`, see [1] and #42", NONE),
        ("it retired as a keyword in 2011", NUMBER | DATE),
        ("the 1980s", NUMBER | DATE),
        ("due: 2026-11-22", NUMBER | DATE),
        ("12,000 and 2000.5 and 1234567", NUMBER),
        ("on a day in February", DATE),
        ("you may not", NONE),
        ("$8 a month", NUMBER | PRICE),
        ("8 € a month", NUMBER | PRICE),
        ("some hundred dollars", NUMBER | PRICE),
    ],
)
def test_a_text_names_quantities(text: str, kinds: Quantity) -> None:
    assert named(text) == kinds


_PARTS = st.sampled_from(
    ["two", "Ten", "may", "May", "MARCH", "euro", "Eur", "5", "2011", "$", " ", ".", "\n", "_", "é", "İ", "K"]
)


@given(st.lists(_PARTS | st.text(max_size=2)).map("".join))
def test_one_pattern_for_each_word_finds_the_same(text: str) -> None:
    def holds(words: frozenset[str], text: str) -> bool:
        return any(re.search(rf"\b{word}\b", text) for word in words)

    without_words = re.sub(r"[^\W\d_]+", "x", text)
    months = frozenset(map(str.capitalize, quantities._MONTHS))
    assert bool(named(text) & Quantity.DATE) == (holds(months, text) or bool(named(without_words) & Quantity.DATE))
    for kind, words in ((Quantity.NUMBER, quantities._NUMBER_WORDS), (Quantity.PRICE, quantities._CURRENCIES)):
        assert bool(named(text) & kind) == (holds(words, text.lower()) or bool(named(without_words) & kind))
