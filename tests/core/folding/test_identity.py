"""Names are compared by identity: Unicode form and case do not matter, and every mark does."""

from __future__ import annotations

import sys
import unicodedata
from typing import Final, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.folding.scripts import SCRIPTS, WORDS
from vaulttools.core.folding.identity import composed, decomposed, identities, identity, is_mixed, is_same, lasting

MARKS: Final = "\u0300\u0301\u0308\u030c\u0323\u0327\u0328\u0307\u0331\u0345\u3099\u093c\u0653"
TEXTS: Final = st.text(
    st.one_of(
        st.sampled_from("aeiouszILJTHKÅάΐᾀǰßẞİıſς;`\u212a\u2126\u037eй한하ᄒ" + MARKS + "\u1161\u11ab\uf900豈 #\n"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=12,
)


def respelled(text: str, forms: list[int]) -> str:
    """Returns a text whose characters, with their marks, have one form or another."""
    clusters: list[str] = []
    for character in decomposed(text):
        if clusters and (
            unicodedata.combining(character) or composed(clusters[-1] + character) != clusters[-1] + character
        ):
            clusters[-1] += character
        else:
            clusters.append(character)
    return "".join((composed, decomposed)[forms[place % len(forms)]](cluster) for place, cluster in enumerate(clusters))


FORMS: Final = st.lists(st.integers(0, 1), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Łódź", "Lodz"),
        ("über", "uber"),
        ("Résumé", "Resume"),
        ("straße", "strasse"),
        ("Ærø", "Aero"),
        ("ё", "е"),
        ("йод", "иод"),
        ("ガ", "カ"),
        ("한", "하"),
        ("दिन", "दन"),
        ("كَتَبَ", "كتب"),
        ("ﬁx", "fix"),
        ("ค่า", "คา"),
    ],
)
def test_names_that_differ_by_a_mark_are_different(one: str, other: str) -> None:
    assert not is_same(one, other) and not is_same(decomposed(one), other)
    assert is_same(one, decomposed(one)) and is_same(one.upper() if one != "straße" and one != "ﬁx" else one, one)


def test_each_character_is_the_same_in_each_form_and_case_is_ignored() -> None:
    characters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    assert [each for each in characters if identity(decomposed(each)) != identity(each)] == []
    assert [each for each in characters if identity(identity(each)) != identity(each)] == []
    assert [each for each in characters if identity(each.lower()) != identity(each)] == []


@given(TEXTS, FORMS)
def test_a_text_is_the_same_however_it_is_spelled(text: str, forms: list[int]) -> None:
    assert identity(respelled(text, forms)) == identity(text)
    assert identity(text).isascii() or composed(identity(text)) == identity(text)


@given(st.sampled_from(SCRIPTS).flatmap(WORDS.__getitem__), st.sampled_from(MARKS))
def test_no_mark_is_dropped(word: str, mark: str) -> None:
    assert identity(word + mark) != identity(word)


@given(st.lists(TEXTS.filter(lambda text: "\0" not in text)))
def test_many_texts_are_folded_together(texts: list[str]) -> None:
    assert identities(texts) == [*map(identity, texts)]


@given(TEXTS, TEXTS, TEXTS, FORMS)
def test_what_lasts_of_a_text_is_in_every_text_that_holds_it(
    before: str, text: str, after: str, forms: list[int]
) -> None:
    whole = respelled(f"{before}{text}{after}", forms)
    if identity(text) in identity(whole):
        assert [run for run in lasting(identity(text)) if run.casefold() not in whole.casefold()] == []


@pytest.mark.parametrize(("form", "is_both"), [("NFC", False), ("NFD", False), ("", True)])
def test_a_text_in_two_forms_is_mixed(form: Literal["NFC", "NFD", ""], is_both: bool) -> None:
    text = "é e\u0301"
    assert is_mixed(unicodedata.normalize(form, text) if form else text) is is_both
