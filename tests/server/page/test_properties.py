"""The table of properties: links, tags, addresses, and values of every type."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.reading import ValuePart, properties


@pytest.mark.parametrize(
    ("block", "values"),
    [
        ("a: text", [[ValuePart("text")]]),
        ("a: 1.50", [[ValuePart("1.50")]]),
        ("a: true", [[ValuePart("true")]]),
        ("a:", []),
        ("a: [x, 2]", [[ValuePart("x")], [ValuePart("2")]]),
        ("a: {b: [1]}", [[ValuePart('{"b": [1]}')]]),
        ("a: 'see [[plan|it]] now'", [[ValuePart("see [[plan|it]] now")]]),
        ("a: ['[[plan|it]]', '[this](plan)']", [[ValuePart("it", "/plan")], [ValuePart("this", "/plan")]]),
        ("a: '[[gone]]'", [[ValuePart("gone", "", "missing")]]),
        (
            "a: see https://a.example/x",
            [[ValuePart("see "), ValuePart("https://a.example/x", "https://a.example/x", "external")]],
        ),
        ("a: javascript:alert(1)", [[ValuePart("javascript:alert(1)")]]),
        ('a: "x\\u202ey"', [[ValuePart("x\\u{202e}y")]]),
        (
            "tags: [b/c, '#d']",
            [[ValuePart("#b/c", Addresses().tag("b/c"), "tag")], [ValuePart("#d", Addresses().tag("d"), "tag")]],
        ),
    ],
)
def test_a_value_is_shown_with_what_it_leads_to(block: str, values: list[list[ValuePart]]) -> None:
    note = Note("a.md", f"---\n{block}\n---\n")
    ((_, found),) = properties(note, Addresses(), lambda link: "/plan" if link.target == "plan" else None)
    assert [[part for part in value if part.text] for value in found] == values
