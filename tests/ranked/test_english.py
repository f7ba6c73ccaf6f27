"""Which words are English."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.ranked import english

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
