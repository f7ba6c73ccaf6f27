"""Words that one may be a misspelling of; English words are none."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.ranked import english
from vaulttools.ranked.candidates import TermMatches
from vaulttools.ranked.substitutes import corrections


class _Words:
    """A vault in which each of some stems stands in one note."""

    def __init__(self, *stems: str) -> None:
        self._stems = stems

    def stems(self, beginning: str, shortest: int, longest: int) -> list[str]:
        return [stem for stem in self._stems if stem.startswith(beginning) and shortest <= len(stem) <= longest]

    def notes_with(self, stem: str) -> set[str]:
        return {"n.md"} if stem in self._stems else set()


@pytest.mark.parametrize(
    ("word", "stem"),
    [("nota", "note"), ("ntoe", "note"), ("palete", "palett"), ("lighthuose", "lighthous"), ("obsidain", "obsidian")],
)
def test_a_letter_changed_left_out_or_exchanged_is_a_misspelling(word: str, stem: str) -> None:
    vault = cast("TermMatches", _Words("note", "palett", "lighthous", "obsidian", "other"))
    assert corrections(word, vault) == [stem]


@pytest.mark.parametrize("word", ["not", "zzzz", "mineral", "two words"])
def test_short_words_and_longer_ones_are_no_misspellings(word: str) -> None:
    assert corrections(word, cast("TermMatches", _Words("note", "mine", "word"))) == []


@pytest.mark.parametrize(
    ("word", "close"),
    [("alarm", "alamm"), ("stuff", "staff"), ("Gemstones", "gemston"), ("lampreys", "lamprei"), ("colour", "color")],
)
def test_an_english_word_is_spelt_as_it_is_meant(word: str, close: str) -> None:
    assert corrections(word, cast("TermMatches", _Words(close))) == []


@pytest.mark.parametrize(
    ("name", "close"), [("Joplin", "join"), ("Drupal", "dual"), ("Lisbon", "lesson"), ("Readwise", "readi")]
)
def test_a_name_is_no_misspelling_of_a_short_word_with_two_other_letters(name: str, close: str) -> None:
    assert corrections(name, cast("TermMatches", _Words(close))) == []


WORDS = english._FILE.read_text(encoding="ascii").split()


@given(
    st.one_of(st.sampled_from(WORDS), st.sampled_from([WORDS[0], WORDS[-1], "", "é", "zzzz", "aa"])), st.integers(0, 9)
)
@settings(max_examples=300)
def test_a_word_is_found_as_by_going_through_all(word: str, cut: int) -> None:
    known = set(WORDS)
    for text in (word, word.upper(), word[:cut], word[cut:], f"{word}s", f"{word[:cut]}é"):
        assert english.is_word(text) == (text.lower() in known)


def test_the_words_are_in_their_order_each_once() -> None:
    assert sorted(set(WORDS)) == WORDS
