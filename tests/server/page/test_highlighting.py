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
