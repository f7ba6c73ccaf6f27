"""Words are folded: spellings of one word are equal in every script, and different words stay apart."""

from __future__ import annotations

import unicodedata
from typing import Final, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.folding.scripts import SCRIPTS, WORDS
from vaulttools.core.folding.words import Folded, folded, forms, is_sign, lowered, sources

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
"""Any text."""
FORMS: Final[tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...]] = ("NFC", "NFD", "NFKC", "NFKD")


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Łódź nocą", "lodz noca"),
        ("Đường phố", "duong pho"),
        ("Ærø, œuvre, Þór, ısı", "aero, oeuvre, thor, isi"),
        ("Straße", "strasse"),
        ("ﬁx ＡＢＣ １２", "fix abc 12"),
        ("Ёлка", "елка"),
        ("Άθήνα ΟΔΌΣ", "αθηνα οδοσ"),
        ("كَتَبَ الدَّرْسَ", "كتب الدرس"),
        ("أحمد إلى مدرسـة", "احمد الي مدرسه"),
        ("שָׁלוֹם", "שלום"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("遊戲審核", "游戏审核"),
        ("co\u00adoperate", "cooperate"),
        ("می\u200cخواهم", "مي خواهم"),
        ("เลิก\u200bงาน", "เลิกงาน"),
        ("hel\u200elo \u202bעולם\u202c", "hello עולם"),
        ("ශ්\u200dරී", "ශ්රී"),
        ("Pounds 1½", "pounds 1½"),
        ("1\ufe0f\u20e3Erstens ❷zweitens㉓drittens ⓑviertens", "1 erstens  2 zweitens 23 drittens  b viertens"),
        ("m² H₂O", "m2 h2o"),
        ("خانۀ ہے نگاۂ دائرۃ کرائۓ", "خانه هے نگاه دائره كرائے"),
    ],
)
def test_spellings_between_which_a_writer_may_choose_are_one(written: str, plain: str) -> None:
    assert lowered(written) == plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("दिन", "दान"),
        ("दिन", "दीन"),
        ("йод", "иод"),
        ("ガイド", "カイト"),
        ("їжа", "іжа"),
        ("ค่า", "คา"),
        ("🔴", "🟢"),
        ("→", "←"),
    ],
)
def test_letters_that_tell_words_apart_stay(one: str, other: str) -> None:
    assert lowered(one) != lowered(other)


@given(st.sampled_from(SCRIPTS).flatmap(lambda script: st.lists(WORDS[script], min_size=1, max_size=4)))
def test_a_text_is_folded_alike_in_every_unicode_form(words: list[str]) -> None:
    text = " ".join(words)
    assert {lowered(unicodedata.normalize(form, text)) for form in FORMS} == {lowered(text)}


@given(TEXTS)
def test_a_folded_text_is_folded(text: str) -> None:
    once = folded(text)
    if unicodedata.is_normalized("NFKC", once):  # what was dropped may bring together what composes
        assert folded(once).split() == once.split()


@given(TEXTS, st.sampled_from(" \n-#"), TEXTS)
def test_texts_are_folded_in_parts(first: str, between: str, second: str) -> None:
    assert folded(first + between + second) == folded(first) + folded(between + second)


@given(TEXTS | st.text("漢字學習、，！ａがﾊﾟハ\u3099\u2060\U000e0100x ", max_size=30), st.data())
def test_a_place_in_a_folded_text_leads_to_the_letters_that_were_folded(text: str, data: st.DataObject) -> None:
    made = Folded(text)
    assert made.data.decode() == folded(text)
    plain = made.data.decode()
    start = data.draw(st.integers(0, len(plain)))
    end = data.draw(st.integers(start, len(plain)))
    if start == end:
        return
    first, last = made.written(len(plain[:start].encode()), len(plain[:end].encode()))
    assert plain[start:end] in folded(text.encode()[first:last].decode())


PIECES = st.one_of(WORDS["han"].map(lambda word: word[:2]), WORDS["kana"], WORDS["hangul"], WORDS["thai"])
"""Pieces of text as questions have them: of Chinese two characters."""


@given(PIECES, st.sampled_from(FORMS))
def test_the_forms_of_a_piece_of_text_are_folded_to_it(text: str, form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> None:
    assert {folded(each) for each in forms(folded(text))} == {folded(text)}
    assert unicodedata.normalize(form, text).casefold() in forms(folded(text))


def test_a_text_from_a_pdf_may_have_radicals() -> None:
    assert "⽇本" in forms("日本") and "⾺" in forms(folded("馬"))


def test_the_sources_of_a_text_are_folded_to_it() -> None:
    assert all(lowered(written) == plain for plain, several in sources().items() for written in several)
    assert {"ß", "ẞ".lower()} <= {*sources()["ss"]} and "ł" in sources()["l"] and "漢" in sources()["汉"]


def test_a_sign_is_a_word_of_its_own() -> None:
    urgent = folded("🔴urgent")
    assert is_sign(urgent.split()[0]) and urgent.split()[1] == "urgent"
    assert not any(map(is_sign, "a│█°"))
    assert all(is_sign(lowered(sign)) for sign in "\u203c\u2049Ⓜ©®™℠№")
    assert folded("№5 Windows™").split()[1::2] == ["5", folded("™").strip()]
    assert lowered("❤\ufe0f") == lowered("❤") and lowered("👍🏽").startswith(lowered("👍"))


def test_the_sources_are_all_characters_that_folding_changes() -> None:
    known = {ord(each) for written in sources().values() for each in written}
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x20000), *range(0x2F800, 0x2FA20)):
        character = chr(code)
        made = folded(character).strip()
        if made and made.lower() != character and character.lower() == character:
            assert code in known, f"{code:x}"
