"""Properties in one line: every kind of value, cut where it is long."""

from __future__ import annotations

from vaulttools.notes.note import Note
from vaulttools.notes.properties.property_text import in_one_line


def test_properties_stand_in_one_line() -> None:
    text = "---\nstatus: active\ntags: [a, b]\nempty:\ndone: false\nmore: {x: 1}\n---\n"
    assert in_one_line(Note("a.md", text).properties, 100) == "status: active; tags: a, b; done: false; more: x 1"
    assert in_one_line({"text": "long " * 60}, 20) == "text: long long long…"
