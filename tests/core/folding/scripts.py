"""Words of fifteen scripts, to be drawn by tests."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

_LETTERS: Final = {
    "latin": "aeioulnrstdzàéîõüñçşğłøđœ",
    "greek": "αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊ",
    "cyrillic": "абвгдежзийклмнопрстуфхцчшщыьэюяёїў",
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهويأإآة",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשתםןףץך",
    "hangul": "가각난달랑말밥산앙장찬칼탐판학점인정한글",
    "kana": "アイウカキクサシスタチツナハマガギグザジダデバビパピー",
    "han": "漢字學習遊戲審核買菜时间东京图书馆",
    "thai": "กขคงจชซญดตถทนบปผพมยรลวสหอ",
    "devanagari": "कखगघचछजटडणतथदधनपबमयरलवशसह",
    "bengali": "কখগঘচছজটডতথদধনপবমযরলশসহড়ঢ়",
    "georgian": "აბგდევზთიკლმნოპჟრსტუფქღყშ",
    "sinhala": "කගචජටඩතදනපබමයරලවසහ",
    "thaana": "ހށނރބޅކއވމފދތލގޏސޑ",
    "tibetan": "ཀཁགངཅཆཇཉཏཐདནཔཕབམཙཚཛ",
}
_MARKS: Final = {
    "devanagari": "ािीुूेोंँ़",
    "bengali": "ািীুূেো",
    "thai": "ิีึืุูั่้ำ",
    "sinhala": ["ා", "ි", "ී", "ු", "ේ", "\u0dca\u200dර"],
    "thaana": "ަާިީުޫެޭޮޯް",
    "tibetan": "ིེོུ",
}
"""Marks that are letters; a Sinhala one is joined by what is invisible."""
SCRIPTS: Final = tuple(_LETTERS)

WORDS: Final = {
    script: st.lists(
        st.tuples(st.sampled_from(letters), st.sampled_from(["", *_MARKS.get(script, "")])).map("".join),
        min_size=3,
        max_size=6,
    ).map("".join)
    for script, letters in _LETTERS.items()
}
"""By script its words, of three to six letters, some with marks."""
