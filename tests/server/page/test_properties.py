"""The table of properties: links, tags, addresses, and values of every type."""

from __future__ import annotations

import pytest

from vaulttools.notes.note import Note
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.reading import properties

TAG = '<a href="{}" class="n-tag">#{}</a>'


def tag(name: str) -> str:
    return TAG.format(Addresses().tag(name).replace("&", "&amp;"), name)


@pytest.mark.parametrize(
    ("block", "values"),
    [
        ("a: text", ["text"]),
        ("a: <b>text", ["&lt;b&gt;text"]),
        ("a: 1.50", ["1.50"]),
        ("a: true", ['<span class="n-box n-done" role="img" aria-label="Yes"></span>']),
        ("a: false", ['<span class="n-box n-open" role="img" aria-label="No"></span>']),
        ("a:", []),
        ("a: [x, 2]", ["x", "2"]),
        ("a: {b: [1]}", ["{&quot;b&quot;: [1]}"]),
        ("a: 'see [[plan|it]] now'", ["see [[plan|it]] now"]),
        ("a: ['[[plan|it]]', '[this](plan)']", ['<a href="/plan">it</a>', '<a href="/plan">this</a>']),
        ("a: '[[gone]]'", ['<span class="n-missing">gone</span>']),
        (
            "a: see https://a.example/x",
            ['see <a href="https://a.example/x" class="n-external" rel="noopener noreferrer">https://a.example/x</a>'],
        ),
        ("a: javascript:alert(1)", ["javascript:alert(1)"]),
        ('a: "x\\u202ey"', ["x\\u{202e}y"]),
        ("tags: [b/c, '#d']", [tag("b/c"), tag("d")]),
    ],
)
def test_a_value_is_shown_with_what_it_leads_to(block: str, values: list[str]) -> None:
    note = Note("a.md", f"---\n{block}\n---\n")
    ((_, found),) = properties(note, Addresses(), lambda link: "/plan" if link.target == "plan" else None)
    assert found == values
