"""Which words tell a reader something when no note holds them."""

from __future__ import annotations

import pytest

from vaulttools.ranked import english


@pytest.mark.parametrize(
    ("word", "question", "tells"),
    [
        ("xylophone", "a xylophone for the garden", True),
        ("xylophone", "xylophone", True),
        ("Mongolia", "what is the capital of Mongolia", True),
        ("Ulm", "who was in Ulm", True),  # a name, however short
        ("1755", "what happened in 1755", True),
        ("b12", "do I take b12", True),
        ("often", "how often is it", False),  # among the most common words
        ("found", "where was it found", False),
        ("Found", "Found a key?", False),  # a capital at the beginning is no name
        ("Found", "“Found a key?”", False),
        ("axe", "where is the axe", False),  # short, and no name
        ("Jahr", "in welchem Jahr wurde die Stadt zerstört", True),  # a capital
        ("zerstört", "in welchem Jahr wurde die Stadt zerstört", False),  # no English question
    ],
)
def test_names_numbers_and_rare_words_tell(word: str, question: str, tells: bool) -> None:
    assert english.is_telling(word, question) == tells


COMMON = english._COMMON_FILE.read_text(encoding="ascii").split()


def test_the_common_words_are_sorted_unique_and_english() -> None:
    assert sorted(set(COMMON)) == COMMON
    assert all(map(english.is_word, COMMON))
    assert english._listed(english._COMMON_FILE).endswith("\n")
