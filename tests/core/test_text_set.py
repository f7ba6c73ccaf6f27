"""Looking for many texts at once finds what looking for each finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.core.text_set import TextSet

_texts = st.text("abé😀/", max_size=6)


@given(st.lists(_texts, max_size=12), st.lists(st.text("abé😀/", max_size=20), max_size=5))
def test_a_set_of_texts_finds_what_looking_for_each_finds(wanted: list[str], texts: list[str]) -> None:
    found = TextSet(wanted)
    assert [found.is_in(text) for text in texts] == [any(each in text for each in wanted) for text in texts]
