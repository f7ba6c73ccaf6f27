"""Words that one may be a misspelling of."""

from __future__ import annotations

from typing import cast

import pytest

from vaulttools.ranked.candidates import StemVocabulary
from vaulttools.ranked.substitutes import corrections


class _Words:
    """A vault in which each of some stems stands in one note."""

    def __init__(self, *stems: str) -> None:
        self._stems = stems

    def stems(self, beginning: str, shortest: int, longest: int) -> list[str]:
        return [stem for stem in self._stems if stem.startswith(beginning) and shortest <= len(stem) <= longest]

    def notes(self, stem: str) -> set[str]:
        return {"n.md"} if stem in self._stems else set()


@pytest.mark.parametrize(
    ("word", "stem"),
    [("nota", "note"), ("ntoe", "note"), ("palete", "palett"), ("lighthuose", "lighthous"), ("obsidain", "obsidian")],
)
def test_a_letter_changed_left_out_or_exchanged_is_a_misspelling(word: str, stem: str) -> None:
    vault = cast("StemVocabulary", _Words("note", "palett", "lighthous", "obsidian", "other"))
    assert corrections(word, vault) == [stem]


@pytest.mark.parametrize("word", ["not", "zzzz", "mineral", "two words"])
def test_short_words_and_longer_ones_are_no_misspellings(word: str) -> None:
    assert corrections(word, cast("StemVocabulary", _Words("note", "mine", "word"))) == []


@pytest.mark.parametrize(
    ("word", "close"),
    [("alarm", "alamm"), ("stuff", "staff"), ("Gemstones", "gemston"), ("lampreys", "lamprei"), ("colour", "color")],
)
def test_an_english_word_is_spelt_as_it_is_meant(word: str, close: str) -> None:
    assert corrections(word, cast("StemVocabulary", _Words(close))) == []
