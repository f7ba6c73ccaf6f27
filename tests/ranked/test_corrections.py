"""The words that a misspelt word may mean; English words are never corrected."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.ranked import english
from vaulttools.ranked.candidates import TermMatches
from vaulttools.ranked.substitutes import corrections


class _Words:
    """A vault with one note for each stem."""

    def __init__(self, *stems: str) -> None:
        self._stems = stems

    def stems(self, beginning: str, shortest: int, longest: int) -> list[str]:
        return [stem for stem in self._stems if stem.startswith(beginning) and shortest <= len(stem) <= longest]

    def notes_with(self, stem: str) -> set[str]:
        return {"n.md"} if stem in self._stems else set()


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("lighthuose", "lighthous"),
        ("obsidain", "obsidian"),
        ("malachyte", "malachit"),
        ("recieve", "receiv"),
        ("gallena", "galena"),
        ("xbsidian", ""),
        ("panik", ""),  # panic differs in its last letter alone
        ("muffig", ""),  # so does muffin
        ("Gletscher", ""),  # gleicher is two letters away
        ("Lisbona", ""),
        ("nota", ""),  # too short
        ("obsiadinn", ""),  # two errors
    ],
)
def test_a_word_is_misspelt_by_one_letter_or_two_that_changed_places(word: str, stem: str) -> None:
    stems = "note lighthous obsidian malachit receiv galena panic muffin gleicher lisbon other"
    assert corrections(word, cast("TermMatches", _Words(*stems.split()))) == [stem] * bool(stem)


@pytest.mark.parametrize("word", ["not", "zzzz", "mineral", "two words"])
def test_short_words_and_longer_forms_are_no_misspellings(word: str) -> None:
    assert corrections(word, cast("TermMatches", _Words("note", "mine", "word"))) == []


@pytest.mark.parametrize(
    ("word", "close"),
    [("alarm", "alamm"), ("stuff", "staff"), ("Gemstones", "gemston"), ("lampreys", "lamprei"), ("colour", "color")],
)
def test_an_english_word_is_not_corrected(word: str, close: str) -> None:
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
def test_looking_up_a_word_agrees_with_a_scan_of_all_words(word: str, cut: int) -> None:
    known = set(WORDS)
    for text in (word, word.upper(), word[:cut], word[cut:], f"{word}s", f"{word[:cut]}é"):
        assert english.is_word(text) == (text.lower() in known)


def test_the_words_are_sorted_and_unique() -> None:
    assert sorted(set(WORDS)) == WORDS
