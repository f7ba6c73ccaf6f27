"""The regexes by which words are counted without an index: each matches wherever the term stands."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.index.words import tokens
from vaulttools.ranked.expressions import beginnings, expression
from vaulttools.ranked.question import read


def matches(asked: str, text: str) -> bool:
    [term] = read(asked).terms
    # Rust's \p{M} is written otherwise in Python.
    return re.search(expression(term).replace(r"\p{M}", "[\u0300-\u036f]"), text, re.IGNORECASE) is not None


@pytest.mark.parametrize(
    ("asked", "text", "found"),
    [
        ("mineralogy", "of mineralogies", True),
        ("résumés", "his resume", True),
        ("resume", "son résumé", True),
        ("resume", "son re\u0301sume\u0301", True),
        ("RouterReset", "router reset", True),
        ("end-to-end", "end to end", True),
        ("lead", "plead", False),
        ("lead", "snake_lead", True),
        ("紅葉", "秋の紅葉", True),
        ("c++", "a c b", True),
    ],
)
def test_a_term_is_found_in_any_inflection_and_accents(asked: str, text: str, found: bool) -> None:
    assert matches(asked, text) == found


WORDS = st.text("abcdeilmnoprstuyéüß", min_size=3, max_size=9)


@given(word=WORDS, ending=st.sampled_from(["", "s", "ing", "ed", "es", "ly"]))
def test_what_the_index_takes_for_the_same_word_is_matched(word: str, ending: str) -> None:
    terms = read(word).terms
    other = word + ending
    if len(terms) == 1 and [stem for _, _, stem in tokens(other)] == [stem for _, _, stem in tokens(word)]:
        assert matches(word, other)


def test_the_beginnings_of_a_term() -> None:
    assert [beginnings(term) for term in read("chlorites RouterReset 紅葉").terms] == [
        ["chlorit"],
        ["routerreset"],
        ["紅葉"],
    ]
