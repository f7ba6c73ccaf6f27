"""The table of properties: links, tags, addresses, and values of every type."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.properties import Part, properties


@pytest.mark.parametrize(
    ("block", "values"),
    [
        ("a: text", [[Part("text")]]),
        ("a: 1.50", [[Part("1.50")]]),
        ("a: true", [[Part("true")]]),
        ("a:", []),
        ("a: [x, 2]", [[Part("x")], [Part("2")]]),
        ("a: {b: [1]}", [[Part('{"b": [1]}')]]),
        ("a: 'see [[plan|it]] now'", [[Part("see "), Part("it", "/plan"), Part(" now")]]),
        ("a: '[[gone]]'", [[Part("gone", "", "missing")]]),
        (
            "a: see https://a.example/x",
            [[Part("see "), Part("https://a.example/x", "https://a.example/x", "external")]],
        ),
        ("a: javascript:alert(1)", [[Part("javascript:alert(1)")]]),
        ('a: "x\\u202ey"', [[Part("x\\u{202e}y")]]),
        (
            "tags: [b/c, '#d']",
            [[Part("#b/c", Addresses().tag("b/c"), "tag")], [Part("#d", Addresses().tag("d"), "tag")]],
        ),
    ],
)
def test_a_value_is_shown_with_what_it_leads_to(block: str, values: list[list[Part]]) -> None:
    note = Note("a.md", f"---\n{block}\n---\n")
    (found,) = properties(note, Addresses(), lambda link: "/plan" if link.target == "plan" else None)
    assert [[part for part in value if part.text] for value in found.values] == values
