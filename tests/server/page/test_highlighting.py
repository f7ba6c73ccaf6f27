"""Highlighting: the words that a search was for, in each of its modes."""

from __future__ import annotations

import pytest

from vaulttools.server.page.addresses import Mode
from vaulttools.server.page.highlighting import finder, marked


@pytest.mark.parametrize(
    ("mode", "query", "text", "shown"),
    [
        ("text", "the [a]", "See THE [A] or the a", "See <THE [A]> or the a"),
        ("text", "aa", "aaaa", "<aa><aa>"),
        ("regex", r"r\w+f", "the roof, the Roof", "the <roof>, the Roof"),
        ("regex", r"(?i)roof$", "roof Roof", "roof <Roof>"),
        ("regex", "x*", "axb", "a<x>b"),
        ("regex", "(?<=a)b", "ab", "ab"),  # look-around: RE2 has none, so nothing is marked
        ("regex", "(", "a(b", "a(b"),
        ("regex", "é+", "aéé\ud800é", "a<éé>\ud800<é>"),
        ("ranked", "repairing the roofs", "He repaired the roof.", "He <repaired> the <roof>."),
        ("ranked", "café tag:#x -draft", "Cafe, tag x, draft", "<Cafe>, tag x, draft"),
        ("ranked", "東京", "これは東京です", "これは<東京>です"),
        ("ranked", "회의", "회의\u1100\u1161 회의", "<회의>\u1100\u1161 <회의>"),
        ("ranked", "학교", "\u1112\u1161\u11a8\u1100\u116d 학교", "<\u1112\u1161\u11a8\u1100\u116d> <학교>"),
        ("ranked", "电车", "a電車", "a<電車>"),
        ("ranked", "é", "e\u0301 É", "<e\u0301> <É>"),
        ("ranked", "회의록", "회의록을", "<회의록>을"),
        ("ranked", "👨\u200d👩\u200d👧", "an 👨\u200d👩\u200d👧", "an <👨\u200d👩\u200d👧>"),
        ("ranked", "🇩🇪", "in 🇩🇪, 🇫🇷", "in <🇩🇪>, 🇫🇷"),
        ("ranked", "❤", "a ❤\ufe0f b", "a <❤\ufe0f> b"),
        ("ranked", "👍", "ok 👍🏽!", "ok <👍🏽>!"),
        ("ranked", "где смородина", "Смородину", "<Смородину>"),
        ("obsidian", 'line:("a b" c) file:d (', "a b c d", "a b c d"),
        ("obsidian", 'line:("a b" c) file:d', "a b c d", "<a b> <c> d"),
        ("obsidian", "meet (budget OR -draft) tag:#x", "Meeting budget or draft", "<Meet>ing <budget> or draft"),
    ],
)
def test_what_was_looked_for_is_marked(mode: Mode, query: str, text: str, shown: str) -> None:
    html = str(marked(text, finder(query, mode)))
    assert html.replace("<mark>", "<").replace("</mark>", ">") == shown
    assert html.replace("<mark>", "").replace("</mark>", "") == text


def test_marks_are_bounded() -> None:
    assert marked("a " * 10_000, finder("a", "regex")).count("<mark>") < 500
